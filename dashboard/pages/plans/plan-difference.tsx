import { formatCount } from '../../components/format-count.js';
import type { Plan, ProjectOnPlan } from './plan-documents.js';
import { hasDomains, isUpgrade, limitsOf } from './plan-limits.js';

export interface PlanDifferenceProps {
  plan: Plan;
  project: ProjectOnPlan;
}

/** Shows what another plan would change for a project: its limits, its domains, and its last 30 days. */
export function PlanDifference({ plan, project }: PlanDifferenceProps) {
  const now = limitsOf(project.plan, project);
  const then = limitsOf(plan, project);
  return (
    <div class="plan-difference">
      <h3>
        {isUpgrade(project.plan.id, plan.id) ? 'Upgrade' : 'Downgrade'} from {project.plan.name}
      </h3>
      <ul>
        <li>
          Per minute: <Change now={now?.requestsPerMinute} then={then?.requestsPerMinute} />
        </li>
        <li>
          Per day: <Change now={now?.requestsPerDay} then={then?.requestsPerDay} />
        </li>
        <li>
          API keys: <Change now={project.plan.maxApiKeys} then={plan.maxApiKeys} />
        </li>
        <DomainChange plan={plan} project={project} />
        <li>{lastDays(plan, project)}</li>
      </ul>
    </div>
  );
}

function Change({ now, then }: { now: number | undefined; then: number | undefined }) {
  return (
    <span class="plan-change">
      {words(now)} <span aria-hidden="true">→</span>
      <span class="visually-hidden">to</span> <strong>{words(then)}</strong>
    </span>
  );
}

function words(limit: number | undefined): string {
  return limit === undefined ? 'custom' : formatCount(limit);
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
  if (requestsPerDay === null) return 'You agree on the daily limit with the operator';
  const days = usage[id].daysOver.length;
  if (days === 0) return 'The daily limit would have been enough on each of the last 30 days';
  return `The project exceeded this daily limit on ${days} of the last 30 days`;
}
