import { useState } from 'preact/hooks';
import { useMutation } from '../../api/use-mutation.js';
import { useAnnounce } from '../../components/announcer.js';
import { Dialog } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { Form } from '../../components/form.js';
import { CHANGE_PLAN, type Plan, type ProjectOnPlan } from './plan-documents.js';
import { hasDomains } from './plan-limits.js';

export interface ChangePlanProps {
  project: ProjectOnPlan;
  plan: Plan;
  onChanged: () => Promise<void>;
  onClose: () => void;
}

/** For admins. A custom quota needs the agreed limits. */
export function ChangePlan({ project, plan, onChanged, onClose }: ChangePlanProps) {
  const isAgreed = plan.requestsPerDay === null;
  const [perMinute, setPerMinute] = useState(textOf(project.customQuota?.requestsPerMinute));
  const [perDay, setPerDay] = useState(textOf(project.customQuota?.requestsPerDay));
  const { run, failure, isRunning } = useMutation(CHANGE_PLAN);
  const announce = useAnnounce();
  const isSame = plan.id === project.plan.id;

  async function submit() {
    const customQuota = { requestsPerMinute: Number(perMinute), requestsPerDay: Number(perDay) };
    const changed = await run({
      input: { projectId: project.id, plan: plan.id, ...(isAgreed && { customQuota }) },
    });
    if (changed === undefined) return;
    await onChanged();
    onClose();
    announce(isSame ? `${project.name} has new limits.` : `${project.name} is on the ${plan.name} plan now.`);
  }

  return (
    <Dialog
      title={isSame ? `Limits of ${project.name}` : `${project.name}: change to ${plan.name}`}
      onClose={onClose}
    >
      <Form
        onSubmit={() => void submit()}
        failure={failure}
        fields={['requestsPerMinute', 'requestsPerDay']}
        action={isSame ? 'Change the limits' : `Change to ${plan.name}`}
        isBusy={isRunning}
        onClose={onClose}
      >
        <p>The new limits hold from the next request on. What was counted stays counted.</p>
        {hasDomains(project.plan.id) && !hasDomains(plan.id) && (
          <p>
            <strong>{plan.name} has no custom domains</strong>: those of the project are suspended after a
            time of grace. They stay its own, and an upgrade brings them back.
          </p>
        )}
        {isAgreed && (
          <>
            <Field
              label="Requests a minute"
              name="requestsPerMinute"
              type="number"
              hint="As agreed, for each key."
              value={perMinute}
              onChange={setPerMinute}
              error={failure?.at('requestsPerMinute')}
              isRequired
              takesFocus
            />
            <Field
              label="Requests a day"
              name="requestsPerDay"
              type="number"
              value={perDay}
              onChange={setPerDay}
              error={failure?.at('requestsPerDay')}
              isRequired
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}

function textOf(limit: number | undefined): string {
  return limit === undefined ? '' : String(limit);
}
