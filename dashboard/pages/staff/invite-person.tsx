import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Dialog } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { Name } from '../../components/name.js';
import { Notice } from '../../components/notice.js';
import { Until } from '../../components/time.js';
import {
  CREATE_INVITATION,
  RENEW_INVITATION,
  type CreateInvitationResult,
  type Person,
} from './staff-documents.js';

type Invitation = CreateInvitationResult['createInvitation'];

interface InviteProps {
  onDone: () => Promise<void>;
  onClose: () => void;
}

export function InvitePerson({ projectId, onDone, onClose }: InviteProps & { projectId: string }) {
  const [name, setName] = useState('');
  const [created, setCreated] = useState<Invitation>();
  if (created !== undefined) return <LinkShown invitation={created} onDone={onDone} onClose={onClose} />;
  return (
    <FormDialog
      title="Invite a person"
      action="Create link"
      document={CREATE_INVITATION}
      variables={() => ({ input: { projectId, name } })}
      onDone={({ createInvitation }) => setCreated(createInvitation)}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        hint="The audit log shows this name with everything that the person changes."
        placeholder="Maria Ruiz"
        value={name}
        onChange={setName}
        isRequired
        takesFocus
      />
    </FormDialog>
  );
}

export function RenewLink({ person: { id, name }, onDone, onClose }: InviteProps & { person: Person }) {
  const [created, setCreated] = useState<Invitation>();
  if (created !== undefined) return <LinkShown invitation={created} onDone={onDone} onClose={onClose} />;
  return (
    <FormDialog
      title={
        <>
          Create a new link for <Name>{name}</Name>?
        </>
      }
      action="Create link"
      document={RENEW_INVITATION}
      variables={() => ({ input: { apiKeyId: id } })}
      onDone={({ renewInvitation }) => setCreated(renewInvitation)}
      onClose={onClose}
    >
      <p>
        For a person who lost the key or a device, or whose invitation expired. The old key, sessions and link
        of <Name>{name}</Name> stop working at once. The name and the history stay.
      </p>
    </FormDialog>
  );
}

/** Shows the link, this once: the gateway keeps only a hash of it. */
function LinkShown({
  invitation: { apiKey, path, expiresAt },
  onDone,
  onClose,
}: InviteProps & { invitation: Invitation }) {
  const shown = useRef<HTMLElement>(null);
  const link = location.origin + path;
  useEffect(() => shown.current?.focus(), []);
  return (
    <Dialog title="Send this link" isWide isHeld onClose={onClose}>
      <Notice tone="warn" title="This link is shown only once" isAlert>
        Send it to <Name>{apiKey.name}</Name> only: the first to open and accept it gets the access. It works
        once, until <Until at={expiresAt} />.
      </Notice>
      <div class="key-secret">
        <code ref={shown} tabIndex={-1} aria-label="Link">
          {link}
        </code>
        <CopyButton value={link} what="link" hasWord />
      </div>
      <div class="actions">
        <Button
          kind="primary"
          onPress={() => {
            onClose();
            void onDone();
          }}
        >
          I’ve copied the link
        </Button>
      </div>
    </Dialog>
  );
}
