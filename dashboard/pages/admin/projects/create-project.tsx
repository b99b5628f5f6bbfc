import { DEFAULT_PLAN } from '../../../../src/features/plans/plans.js';
import { useState } from 'preact/hooks';
import { useMutation } from '../../../api/use-mutation.js';
import { Dialog } from '../../../components/dialog.js';
import { Field } from '../../../components/field.js';
import { Form } from '../../../components/form.js';
import { customQuotaOf, PLAN_FIELDS, PlanFields, type ChosenPlan } from './plan-fields.js';
import { CREATE_PROJECT } from './project-documents.js';

export interface CreateProjectProps {
  onCreated: (project: { id: string; name: string }) => void;
  onClose: () => void;
}

export function CreateProject({ onCreated, onClose }: CreateProjectProps) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ChosenPlan>({ plan: DEFAULT_PLAN, perMinute: '', perDay: '' });
  const { run, failure, isRunning } = useMutation(CREATE_PROJECT);

  async function submit() {
    const created = await run({ input: { name, plan: chosen.plan, customQuota: customQuotaOf(chosen) } });
    if (created !== undefined) onCreated(created.createProject.project);
  }

  return (
    <Dialog title="Create project" onClose={onClose}>
      <Form
        onSubmit={() => void submit()}
        failure={failure}
        fields={['name', ...PLAN_FIELDS]}
        action="Create project"
        isBusy={isRunning}
        onClose={onClose}
      >
        <Field
          label="Name"
          name="name"
          hint="Its subdomain on the platform is made of it, once and for good."
          placeholder="Happy Tails"
          value={name}
          onChange={setName}
          error={failure?.at('name')}
          isRequired
          takesFocus
        />
        <PlanFields chosen={chosen} onChange={setChosen} failure={failure} />
      </Form>
    </Dialog>
  );
}
