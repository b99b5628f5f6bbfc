import { useState } from 'preact/hooks';
import { useMutation } from '../../../api/use-mutation.js';
import { useAnnounce } from '../../../components/announcer.js';
import { Dialog } from '../../../components/dialog.js';
import { Field } from '../../../components/field.js';
import { Form } from '../../../components/form.js';
import { DELETE_PROJECT, type Project } from './project-documents.js';

export interface DeleteProjectProps {
  project: Project;
  onDeleted: () => Promise<void>;
  onClose: () => void;
}

/**
 * Requires the user to type the project's name, because deleting a project loses more than a key and cannot be undone.
 */
export function DeleteProject({ project: { id, name }, onDeleted, onClose }: DeleteProjectProps) {
  const [typed, setTyped] = useState('');
  const { run, failure, isRunning } = useMutation(DELETE_PROJECT);
  const announce = useAnnounce();

  async function submit() {
    if ((await run({ input: { projectId: id, name: typed } })) === undefined) return;
    onClose();
    await onDeleted();
    announce(`${name} is deleted.`);
  }

  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <Form
        onSubmit={() => void submit()}
        failure={failure}
        fields={['name']}
        action="Delete the project"
        isDangerous
        isBusy={isRunning}
        onClose={onClose}
      >
        <p>
          <strong>This cannot be taken back.</strong> From now on its keys are refused, and its site and its
          domains are not served. Its deploys, certificates and usage are removed. Pets stay, and so does what
          the audit log says.
        </p>
        <Field
          label={`Type “${name}” to delete it`}
          name="name"
          value={typed}
          onChange={setTyped}
          error={failure?.at('name')}
          takesFocus
        />
      </Form>
    </Dialog>
  );
}
