import type { ProjectRole } from './key-words.js';
import type { IssuedKey } from './first-call.js';
import { useState } from 'preact/hooks';
import { useMutation } from '../../api/use-mutation.js';
import { useAnnounce } from '../../components/announcer.js';
import { Dialog } from '../../components/dialog.js';
import { Field, SelectField } from '../../components/field.js';
import { Form } from '../../components/form.js';
import { ExpiryFields, expiresAtOf, NO_EXPIRY } from './expiry-fields.js';
import { PROJECT_ROLES } from './key-choices.js';
import { CREATE_KEY } from './key-documents.js';
import { ROLE_MEANINGS } from './key-words.js';
import { SecretShown } from './secret-shown.js';

export interface CreateKeyProps {
  projectId: string;
  onCreated: () => Promise<void>;
  onClose: () => void;
}

/** Shows a form and then the new secret. Only a press on the secret's own button closes it. */
export function CreateKey({ projectId, onCreated, onClose }: CreateKeyProps) {
  const [issued, setIssued] = useState<IssuedKey>();
  const announce = useAnnounce();

  function finish(key: IssuedKey) {
    onClose();
    announce(`The key ${key.apiKey.name} is ready.`);
    void onCreated();
  }

  return (
    <Dialog
      title={issued === undefined ? 'Create key' : 'Keep this secret now'}
      isWide={issued !== undefined}
      isHeld={issued !== undefined}
      onClose={onClose}
    >
      {issued === undefined ? (
        <CreateForm projectId={projectId} onClose={onClose} onIssued={setIssued} />
      ) : (
        <SecretShown issued={issued} onKept={() => finish(issued)} />
      )}
    </Dialog>
  );
}

interface CreateFormProps {
  projectId: string;
  onIssued: (issued: IssuedKey) => void;
  onClose: () => void;
}

const FIELDS = ['name', 'role', 'allowedOrigins', 'expiresAt'];

function CreateForm({ projectId, onIssued, onClose }: CreateFormProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<ProjectRole>('server');
  const [origins, setOrigins] = useState('');
  const [expiry, setExpiry] = useState(NO_EXPIRY);
  const { run, failure, isRunning } = useMutation(CREATE_KEY);

  async function submit() {
    const expiresAt = expiresAtOf(expiry, Date.now());
    const created = await run({
      input: {
        projectId,
        name,
        role,
        ...(role === 'browser' && { allowedOrigins: origins.split(/[\s,]+/).filter(Boolean) }),
        ...(expiresAt !== undefined && { expiresAt }),
      },
    });
    if (created !== undefined) onIssued(created.createApiKey);
  }

  return (
    <Form
      onSubmit={() => void submit()}
      failure={failure}
      fields={FIELDS}
      action="Create key"
      isBusy={isRunning}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        hint="What you will know it by, such as the program that uses it."
        placeholder="Shop backend"
        value={name}
        onChange={setName}
        error={failure?.at('name')}
        isRequired
        takesFocus
      />
      <SelectField
        label="Role"
        name="role"
        hint={ROLE_MEANINGS[role]}
        value={role}
        choices={PROJECT_ROLES}
        onChange={setRole}
        error={failure?.at('role')}
      />
      {role === 'browser' && (
        <Field
          label="Allowed origins"
          name="allowedOrigins"
          hint="Scheme, host and port, exactly as browsers send them. Several: with spaces between them."
          placeholder="https://shop.example http://localhost:5173"
          value={origins}
          onChange={setOrigins}
          error={failure?.at('allowedOrigins')}
          isRequired
        />
      )}
      <ExpiryFields expiry={expiry} onChange={setExpiry} error={failure?.at('expiresAt')} />
    </Form>
  );
}
