import type { Limits, Plan, PlanId, ProjectOnPlan } from './plan-documents.js';

/** From the smallest to the largest. */
const ORDER: readonly PlanId[] = ['free', 'pro', 'business', 'enterprise'];

/** What a plan allows; undefined: it is agreed individually, and not with this project yet. */
export function limitsOf(plan: Plan, project: ProjectOnPlan | undefined): Limits | undefined {
  const { id, requestsPerMinute, requestsPerDay } = plan;
  if (requestsPerMinute !== null && requestsPerDay !== null) return { requestsPerMinute, requestsPerDay };
  return project?.plan.id === id ? (project.customQuota ?? undefined) : undefined;
}

/** Specification 1.1: domains of one's own need Pro or above. */
export function hasDomains(plan: PlanId): boolean {
  return plan !== 'free';
}

export function isUpgrade(from: PlanId, to: PlanId): boolean {
  return ORDER.indexOf(to) > ORDER.indexOf(from);
}
