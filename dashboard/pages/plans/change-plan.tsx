import { PLANS, type PlanId, type Quota } from '../../../src/features/plans/plans.js';
import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { FormDialog } from '../../components/form-dialog.js';
import { Name } from '../../components/name.js';
import { Notice } from '../../components/notice.js';
import { CHANGE_PLAN } from './plan-documents.js';
import { chosenPlan, customQuotaOf, PlanFields } from './plan-fields.js';

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
  const [chosen, setChosen] = useState(chosenPlan(to, customQuota));
  const announce = useAnnounce();

  return (
    <FormDialog
      title={
        <>
          Change the plan of <Name>{name}</Name>
        </>
      }
      action="Change plan"
      document={CHANGE_PLAN}
      variables={() => ({ input: { projectId: id, plan: chosen.plan, customQuota: customQuotaOf(chosen) } })}
      onDone={({ changePlan }) => {
        onClose();
        announce(`${name} is now on the ${changePlan.project.plan.name} plan.`);
        void onChanged();
      }}
      onClose={onClose}
    >
      <PlanFields chosen={chosen} onChange={setChosen} />
      <p class="quiet small">New limits apply from the next request. Usage so far still counts.</p>
      {PLANS[plan.id].includesDomains && !PLANS[chosen.plan].includesDomains && (
        <Notice tone="warn" title={`${PLANS[chosen.plan].name} has no custom domains`}>
          The project’s custom domains are suspended after the grace period. The project keeps them, and an
          upgrade restores them.
        </Notice>
      )}
    </FormDialog>
  );
}
