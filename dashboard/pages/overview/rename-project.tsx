import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { Field } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { Name } from '../../components/name.js';
import { noteRename } from '../../shell/project-picker.js';
import { UPDATE_PROJECT, type ProjectOverview } from './overview-documents.js';

export interface RenameProjectProps {
  project: Pick<ProjectOverview, 'id' | 'name'>;
  onRenamed: () => Promise<void>;
  onClose: () => void;
}

export function RenameProject({ project, onRenamed, onClose }: RenameProjectProps) {
  const [name, setName] = useState(project.name);
  const announce = useAnnounce();
  return (
    <FormDialog
      title={
        <>
          Rename <Name>{project.name}</Name>
        </>
      }
      action="Rename project"
      document={UPDATE_PROJECT}
      variables={() => ({ input: { projectId: project.id, name } })}
      onDone={() => {
        onClose();
        announce(`Renamed the project to ${name.trim()}.`);
        noteRename();
        void onRenamed();
      }}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        hint="The address of the project’s site stays the same. The built-in storefront shows the new name after its next deploy: publish it again on the page Deploys."
        value={name}
        onChange={setName}
        isRequired
        takesFocus
      />
    </FormDialog>
  );
}
