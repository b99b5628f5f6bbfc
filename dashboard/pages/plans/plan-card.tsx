import type { ComponentChildren } from 'preact';
import { LIMITS } from '../../../src/features/plans/plans.js';
import { classNames } from '../../components/class-names.js';
import { formatCount } from '../../components/format-count.js';
import { Icon } from '../../components/icon.js';
import { Badge } from '../../components/notice.js';
import { LastDays } from './last-days.js';
import type { Plan, ProjectOnPlan } from './plan-documents.js';
import { hasDomains, limitsOf } from './plan-limits.js';
import { PlanDifference } from './plan-difference.js';

export interface PlanCardProps {
  plan: Plan;
  /** Undefined if no project is chosen. */
  project: ProjectOnPlan | undefined;
  action?: ComponentChildren;
}

/** Shows a plan of section 8.2 of the specification, and what it would change for a project. */
export function PlanCard({ plan, project, action }: PlanCardProps) {
  const isCurrent = project?.plan.id === plan.id;
  const limits = limitsOf(plan, project);
  const now = project && !isCurrent ? limitsOf(project.plan, project) : undefined;
  return (
    <section
      class={classNames('card', 'plan', isCurrent && 'plan-current')}
      aria-labelledby={`plan-${plan.id}`}
    >
      <header class="plan-head">
        <h2 id={`plan-${plan.id}`}>{plan.name}</h2>
        {isCurrent && <Badge tone="info">Current</Badge>}
      </header>
      <dl class="plan-limits">
        {Object.entries(LIMITS).map(([name, field]) => (
          <Limit key={name} word={`requests per ${name}`} of={limits?.[field]} now={now?.[field]} />
        ))}
        <Limit word="API keys" of={plan.maxApiKeys} now={now && project?.plan.maxApiKeys} />
      </dl>
      <p class={classNames('plan-feature', !hasDomains(plan.id) && 'quiet')}>
        <Icon name={hasDomains(plan.id) ? 'check' : 'close'} />
        {hasDomains(plan.id) ? 'Custom domains' : 'No custom domains'}
      </p>
      {project !== undefined &&
        (isCurrent ? <LastDays usage={project.usage} /> : <PlanDifference plan={plan} project={project} />)}
      {action && <div class="plan-action">{action}</div>}
    </section>
  );
}

interface LimitProps {
  word: string;
  of: number | undefined;
  /** The limit under the current plan of the project. */
  now: number | undefined;
}

function Limit({ word, of, now }: LimitProps) {
  return (
    <div>
      <dt>{word}</dt>
      <dd>
        {of === undefined ? 'Custom' : formatCount(of)}
        {now !== undefined && <span class="quiet small"> now {formatCount(now)}</span>}
      </dd>
    </div>
  );
}
