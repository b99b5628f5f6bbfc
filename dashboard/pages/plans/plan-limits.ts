import { LIMIT_FIELDS, PLAN_IDS, PLANS, type PlanId, type Quota } from '../../../src/features/plans/plans.js';
import type { Plan, ProjectOnPlan } from './plan-documents.js';

/** Returns the limits of a plan, or undefined if they are agreed individually and this project has no agreement yet. */
export function limitsOf(plan: Plan, project: ProjectOnPlan | undefined): Quota | undefined {
  if (isFixed(plan)) return plan;
  return project?.plan.id === plan.id ? (project.customQuota ?? undefined) : undefined;
}

function isFixed(plan: Plan): plan is Plan & Quota {
  return LIMIT_FIELDS.every((field) => plan[field] !== null);
}

export function hasDomains(plan: PlanId): boolean {
  return PLANS[plan].includesDomains;
}

export function isUpgrade(from: PlanId, to: PlanId): boolean {
  return PLAN_IDS.indexOf(to) > PLAN_IDS.indexOf(from);
}
