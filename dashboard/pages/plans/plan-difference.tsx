import type { Plan, ProjectOnPlan } from './plan-documents.js';
import { hasDomains, isUpgrade } from './plan-limits.js';

export interface PlanDifferenceProps {
  plan: Plan;
  project: ProjectOnPlan;
}

/** Shows what another plan would change for a project beside its limits: its domains, and its last 30 days. */
export function PlanDifference({ plan, project }: PlanDifferenceProps) {
  return (
    <div class="plan-difference">
      <h3>
        {isUpgrade(project.plan.id, plan.id) ? 'Upgrade' : 'Downgrade'} from {project.plan.name}
      </h3>
      <ul>
        <DomainChange plan={plan} project={project} />
        <li>{lastDays(plan, project)}</li>
      </ul>
    </div>
  );
}

function DomainChange({ plan, project }: PlanDifferenceProps) {
  if (hasDomains(plan.id) === hasDomains(project.plan.id)) return null;
  return hasDomains(plan.id) ? (
    <li>You can add custom domains</li>
  ) : (
    <li>Custom domains stop working after the grace period</li>
  );
}

/**
 * Counts admitted requests only: the number of requests that a rejected client would have gone on to send is unknown.
 */
function lastDays({ id, requestsPerDay }: Plan, { usage }: ProjectOnPlan): string {
  if (requestsPerDay === null) return 'You agree on the daily limit with an admin';
  const days = usage[id].daysOver.length;
  if (days === 0) return 'The daily limit would have been enough on each of the last 30 days';
  return `The project exceeded this daily limit on ${days} of the last 30 days`;
}
