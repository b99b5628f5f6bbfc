import { useState } from 'preact/hooks';
import { useAnnounce } from '../../../components/announcer.js';
import { Field } from '../../../components/field.js';
import { FormDialog } from '../../../components/form-dialog.js';
import { Name } from '../../../components/name.js';
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
  const announce = useAnnounce();
  return (
    <FormDialog
      title={
        <>
          Delete <Name>{name}</Name>?
        </>
      }
      action="Delete project"
      isDangerous
      document={DELETE_PROJECT}
      variables={() => ({ input: { projectId: id, name: typed } })}
      onDone={() => {
        onClose();
        announce(`Deleted ${name}.`);
        void onDeleted();
      }}
      onClose={onClose}
    >
      <p>
        <strong>You can’t undo this.</strong> The project’s keys, site and domains stop working immediately.
        Its deploys, certificates and usage are deleted. Pets and audit records stay.
      </p>
      <Field
        label={
          <>
            Type “<Name>{name}</Name>” to delete it
          </>
        }
        name="name"
        value={typed}
        onChange={setTyped}
        takesFocus
      />
    </FormDialog>
  );
}
