import { useMutation } from '../../api/use-mutation.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { REMOVE_DOMAIN, type Domain, type Redirect } from './domain-documents.js';

export interface RemoveDomainProps {
  domain: Domain;
  redirects: readonly Redirect[];
  onRemoved: () => Promise<void>;
  onRedirectInstead: () => void;
  onClose: () => void;
}

export function RemoveDomain({
  domain,
  redirects,
  onRemoved,
  onRedirectInstead,
  onClose,
}: RemoveDomainProps) {
  const remove = useMutation(REMOVE_DOMAIN);
  const announce = useAnnounce();
  const { id, name, unicodeName, isPrimary } = domain;
  const lost = redirects.filter(({ from, to }) => from === name || to === name);

  async function confirm() {
    if ((await remove.run({ input: { id } })) === undefined) return;
    onClose();
    await onRemoved();
    announce(`${unicodeName} is removed.`);
  }

  return (
    <ConfirmDialog
      title={`Remove ${unicodeName}?`}
      action="Remove"
      isDangerous
      isBusy={remove.isRunning}
      failure={remove.failure}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        Removing it <strong>stops serving traffic on it immediately</strong>.
        {isPrimary && ' The platform subdomain becomes the primary domain again.'}
      </p>
      {lost.length > 0 && (
        <p>Its redirects go with it: {lost.map(({ from, to }) => `${from} to ${to}`).join(', ')}.</p>
      )}
      <p>
        If the URL was shared, set up a redirect first, and keep the domain until nobody comes by it any more.
      </p>
      <div>
        <Button isSmall onPress={onRedirectInstead}>
          Set up a redirect
        </Button>
      </div>
    </ConfirmDialog>
  );
}
