import { DEFAULT_PLAN } from '../../../../src/features/plans/plans.js';
import { useState } from 'preact/hooks';
import { Field } from '../../../components/field.js';
import { FormDialog } from '../../../components/form-dialog.js';
import { chosenPlan, customQuotaOf, PlanFields } from '../../plans/plan-fields.js';
import { CREATE_PROJECT } from './project-documents.js';

export interface CreateProjectProps {
  onCreated: (project: { id: string; name: string }) => void;
  onClose: () => void;
}

export function CreateProject({ onCreated, onClose }: CreateProjectProps) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState(chosenPlan(DEFAULT_PLAN));
  return (
    <FormDialog
      title="Create project"
      action="Create project"
      document={CREATE_PROJECT}
      variables={() => ({ input: { name, plan: chosen.plan, customQuota: customQuotaOf(chosen) } })}
      onDone={({ createProject }) => onCreated(createProject.project)}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        hint="The project’s subdomain is derived from this name and never changes."
        placeholder="Happy Tails"
        value={name}
        onChange={setName}
        isRequired
        takesFocus
      />
      <PlanFields chosen={chosen} onChange={setChosen} />
    </FormDialog>
  );
}
