import { PLANS } from '../../../../src/features/plans/plans.js';
import { useState } from 'preact/hooks';
import { useMutation } from '../../../api/use-mutation.js';
import { useAnnounce } from '../../../components/announcer.js';
import { Dialog } from '../../../components/dialog.js';
import { Form } from '../../../components/form.js';
import { Notice } from '../../../components/notice.js';
import { CHANGE_PLAN } from '../../plans/plan-documents.js';
import { customQuotaOf, PLAN_FIELDS, PlanFields, type ChosenPlan } from './plan-fields.js';
import type { Project } from './project-documents.js';

export interface ChangePlanProps {
  project: Project;
  onChanged: () => Promise<void>;
  onClose: () => void;
}

/** Changes the plan of any project, and its custom quota. */
export function ChangePlan({ project, onChanged, onClose }: ChangePlanProps) {
  const { id, name, plan, customQuota } = project;
  const [chosen, setChosen] = useState<ChosenPlan>({
    plan: plan.id,
    perMinute: String(customQuota?.requestsPerMinute ?? ''),
    perDay: String(customQuota?.requestsPerDay ?? ''),
  });
  const { run, failure, isRunning } = useMutation(CHANGE_PLAN);
  const announce = useAnnounce();

  async function submit() {
    const quota = customQuotaOf(chosen);
    const changed = await run({
      input: { projectId: id, plan: chosen.plan, ...(quota && { customQuota: quota }) },
    });
    if (changed === undefined) return;
    await onChanged();
    onClose();
    announce(`${name} is on the ${changed.changePlan.project.plan.name} plan now.`);
  }

  return (
    <Dialog title={`Plan of ${name}`} onClose={onClose}>
      <Form
        onSubmit={() => void submit()}
        failure={failure}
        fields={PLAN_FIELDS}
        action="Change plan"
        isBusy={isRunning}
        onClose={onClose}
      >
        <PlanFields chosen={chosen} onChange={setChosen} failure={failure} />
        <p class="quiet small">
          The new limits hold from the next request on. What was counted stays counted.
        </p>
        {PLANS[plan.id].includesDomains && !PLANS[chosen.plan].includesDomains && (
          <Notice tone="warn" title={`${PLANS[chosen.plan].name} has no domains of one’s own`}>
            Those of the project are suspended after a time of grace. They stay its own, and an upgrade brings
            them back.
          </Notice>
        )}
      </Form>
    </Dialog>
  );
}
