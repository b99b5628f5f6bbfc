import { useState } from 'preact/hooks';
import { useAnnounce } from '../../../components/announcer.js';
import { Field, SelectField, type Choice } from '../../../components/field.js';
import { FormDialog } from '../../../components/form-dialog.js';
import { Name } from '../../../components/name.js';
import type { PetsOfDeletedProject } from '../../../api/schema-types.js';
import { DELETE_PROJECT, type Project } from './project-documents.js';

export interface DeleteProjectProps {
  project: Project;
  onDeleted: () => Promise<void>;
  onClose: () => void;
}

const PETS: readonly Choice<PetsOfDeletedProject>[] = [
  { value: 'delete', label: 'Remove them' },
  { value: 'handOver', label: 'Keep them in the catalogue, without a project' },
];

/**
 * Requires the user to type the project's name, because deleting a project loses more than a key and cannot be undone.
 */
export function DeleteProject({ project: { id, name }, onDeleted, onClose }: DeleteProjectProps) {
  const [typed, setTyped] = useState('');
  const [pets, setPets] = useState<PetsOfDeletedProject>('delete');
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
      variables={() => ({ input: { projectId: id, name: typed, pets } })}
      onDone={() => {
        onClose();
        announce(`Deleted ${name}.`);
        void onDeleted();
      }}
      onClose={onClose}
    >
      <p>
        <strong>You can’t undo this.</strong> The project’s keys, site and domains stop working immediately.
        Its deploys, certificates and usage are deleted. Audit records stay.
      </p>
      <SelectField
        label="Animals of the project"
        name="pets"
        value={pets}
        choices={PETS}
        onChange={setPets}
      />
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
