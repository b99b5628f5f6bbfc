import type { IssuedKey } from '../../keys/first-call.js';
import { useState } from 'preact/hooks';
import { useMutation } from '../../../api/use-mutation.js';
import { useAnnounce } from '../../../components/announcer.js';
import { Dialog } from '../../../components/dialog.js';
import { Field } from '../../../components/field.js';
import { Form } from '../../../components/form.js';
import { Notice } from '../../../components/notice.js';
import { ExpiryFields, expiresAtOf, NO_EXPIRY } from '../../keys/expiry-fields.js';
import { SecretShown } from '../../keys/secret-shown.js';
import { CREATE_KEY } from '../../keys/key-documents.js';

export interface CreateAdminKeyProps {
  onCreated: () => Promise<void>;
  onClose: () => void;
}

/** Shows a form and then the new secret. Only a press on the secret's own button closes it. */
export function CreateAdminKey({ onCreated, onClose }: CreateAdminKeyProps) {
  const [issued, setIssued] = useState<IssuedKey>();
  const announce = useAnnounce();

  function finish({ apiKey }: IssuedKey) {
    onClose();
    announce(`The key ${apiKey.name} is ready.`);
  }

  return (
    <Dialog
      title={issued === undefined ? 'Create admin key' : 'Keep this secret now'}
      isHeld={issued !== undefined}
      onClose={onClose}
    >
      {issued === undefined ? (
        <CreateForm
          onClose={onClose}
          onIssued={(key) => {
            setIssued(key);
            void onCreated();
          }}
        />
      ) : (
        <SecretShown issued={issued} onKept={() => finish(issued)} />
      )}
    </Dialog>
  );
}

interface CreateFormProps {
  onIssued: (issued: IssuedKey) => void;
  onClose: () => void;
}

function CreateForm({ onIssued, onClose }: CreateFormProps) {
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState(NO_EXPIRY);
  const { run, failure, isRunning } = useMutation(CREATE_KEY);

  async function submit() {
    const expiresAt = expiresAtOf(expiry, Date.now());
    const created = await run({
      input: { name, role: 'admin', ...(expiresAt !== undefined && { expiresAt }) },
    });
    if (created !== undefined) onIssued(created.createApiKey);
  }

  return (
    <Form
      onSubmit={() => void submit()}
      failure={failure}
      fields={['name', 'expiresAt']}
      action="Create admin key"
      isBusy={isRunning}
      onClose={onClose}
    >
      <Notice tone="warn">
        Whoever has it may do everything in all projects. Keys of one project are made on its own page.
      </Notice>
      <Field
        label="Name"
        name="name"
        hint="Who or what will use it."
        placeholder="Jane, on call"
        value={name}
        onChange={setName}
        error={failure?.at('name')}
        isRequired
        takesFocus
      />
      <ExpiryFields expiry={expiry} onChange={setExpiry} error={failure?.at('expiresAt')} />
    </Form>
  );
}
