import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { Field } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { Name } from '../../components/name.js';
import { DELETE_PROJECT_PETS } from './animal-documents.js';
import { animals } from './status-words.js';

export interface RemoveAllProps {
  project: { id: string; name: string };
  /** Called also if nothing was removed, or only some animals. */
  onClose: () => void;
}

/** For admins: removes all animals of a project, for example spam, in one step. */
export function RemoveAll({ project: { id, name }, onClose }: RemoveAllProps) {
  const [typed, setTyped] = useState('');
  const announce = useAnnounce();
  return (
    <FormDialog
      title={
        <>
          Remove all animals of <Name>{name}</Name>?
        </>
      }
      action="Remove all animals"
      isDangerous
      isReady={typed.trim() === name.trim()}
      document={DELETE_PROJECT_PETS}
      variables={() => ({ input: { projectId: id } })}
      onDone={({ deleteProjectPets }) => {
        onClose();
        announce(`Removed ${animals(deleteProjectPets.deletedCount)} of ${name}.`);
      }}
      onClose={onClose}
    >
      <p>
        <strong>You can’t undo this.</strong> Every animal of the project disappears from its site, from the
        catalogue and from the responses of the API. The project, its keys and its site stay.
      </p>
      <Field
        label={
          <>
            Type “<Name>{name}</Name>” to remove its animals
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
