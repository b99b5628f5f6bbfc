import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { FormDialog } from '../../components/form-dialog.js';
import { REMOVE_DOMAIN, type Domain, type Redirect } from './domain-documents.js';

export interface RemoveDomainProps {
  domain: Domain;
  redirects: readonly Redirect[];
  onRemoved: () => Promise<void>;
  onRedirectInstead: () => void;
  onClose: () => void;
}

export function RemoveDomain(props: RemoveDomainProps) {
  const { domain, redirects, onRemoved, onRedirectInstead, onClose } = props;
  const { id, name, unicodeName, isPrimary } = domain;
  const lost = redirects.filter(({ from, to }) => from === name || to === name);
  const announce = useAnnounce();

  return (
    <FormDialog
      title={`Remove ${unicodeName}?`}
      action="Remove"
      isDangerous
      document={REMOVE_DOMAIN}
      variables={() => ({ input: { id } })}
      onDone={() => {
        onClose();
        announce(`Removed ${unicodeName}.`);
        void onRemoved();
      }}
      onClose={onClose}
    >
      <p>
        Removing the domain <strong>stops serving traffic on it immediately</strong>.
        {isPrimary && ' The platform subdomain becomes the primary domain again.'}
      </p>
      {lost.length > 0 && (
        <p>These redirects are removed too: {lost.map(({ from, to }) => `${from} to ${to}`).join(', ')}.</p>
      )}
      <p>
        If you have shared the URL, set up a redirect first, and keep the domain until visitors no longer use
        it.
      </p>
      <div>
        <Button isSmall onPress={onRedirectInstead}>
          Set up a redirect
        </Button>
      </div>
    </FormDialog>
  );
}
