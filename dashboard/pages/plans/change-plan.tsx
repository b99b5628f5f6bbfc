import { PLANS, type PlanId, type Quota } from '../../../src/features/plans/plans.js';
import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { FormDialog } from '../../components/form-dialog.js';
import { Notice } from '../../components/notice.js';
import { CHANGE_PLAN } from './plan-documents.js';
import { customQuotaOf, PlanFields, type ChosenPlan } from './plan-fields.js';

export interface ChangePlanProps {
  project: { id: string; name: string; plan: { id: PlanId }; customQuota: Quota | null };
  /** The plan that is chosen at first. */
  to: PlanId;
  onChanged: () => Promise<void>;
  onClose: () => void;
}

/** For admins: changes the plan of a project, and its custom quota. */
export function ChangePlan({ project, to, onChanged, onClose }: ChangePlanProps) {
  const { id, name, plan, customQuota } = project;
  const [chosen, setChosen] = useState<ChosenPlan>({
    plan: to,
    perMinute: String(customQuota?.requestsPerMinute ?? ''),
    perDay: String(customQuota?.requestsPerDay ?? ''),
  });
  const announce = useAnnounce();

  return (
    <FormDialog
      title={`Plan of ${name}`}
      action="Change plan"
      document={CHANGE_PLAN}
      variables={() => ({ input: { projectId: id, plan: chosen.plan, customQuota: customQuotaOf(chosen) } })}
      onDone={({ changePlan }) => {
        onClose();
        announce(`${name} is on the ${changePlan.project.plan.name} plan now.`);
        void onChanged();
      }}
      onClose={onClose}
    >
      <PlanFields chosen={chosen} onChange={setChosen} />
      <p class="quiet small">The new limits hold from the next request on. What was counted stays counted.</p>
      {PLANS[plan.id].includesDomains && !PLANS[chosen.plan].includesDomains && (
        <Notice tone="warn" title={`${PLANS[chosen.plan].name} has no domains of one’s own`}>
          Those of the project are suspended after a time of grace. They stay its own, and an upgrade brings
          them back.
        </Notice>
      )}
    </FormDialog>
  );
}
