import { invalidRequest } from '../../lib/errors.js';

export const PLAN_IDS = ['free', 'pro', 'business', 'enterprise'] as const;
export type PlanId = (typeof PLAN_IDS)[number];

export interface Plan {
  id: PlanId;
  name: string;
  /** Undefined: agreed individually, see CustomQuota. */
  requestsPerMinute?: number;
  requestsPerDay?: number;
  /** How many active API keys a project can have before it may create no more. */
  maxApiKeys: number;
}

export interface CustomQuota {
  requestsPerMinute: number;
  requestsPerDay: number;
}

/** Limits of each key: specification 8.2. They hold per key, so a plan also bounds how many keys there are. */
export const PLANS: Record<PlanId, Plan> = {
  free: { id: 'free', name: 'Free', requestsPerMinute: 60, requestsPerDay: 1_000, maxApiKeys: 5 },
  pro: { id: 'pro', name: 'Pro', requestsPerMinute: 300, requestsPerDay: 10_000, maxApiKeys: 20 },
  business: {
    id: 'business',
    name: 'Business',
    requestsPerMinute: 1_000,
    requestsPerDay: 100_000,
    maxApiKeys: 100,
  },
  enterprise: { id: 'enterprise', name: 'Enterprise', maxApiKeys: 1_000 },
};

/** GraphQL's Int and the counters' 32-bit integers end here. */
export const MAX_QUOTA = 2 ** 31 - 1;

/**
 * A plan with the quota that belongs to it: Enterprise needs a custom quota, the other plans have none.
 * @throws ApiError invalid_request
 */
export function checkPlan(
  plan: PlanId,
  customQuota: CustomQuota | undefined,
): { plan: PlanId; customQuota?: CustomQuota } {
  if (plan !== 'enterprise') {
    if (customQuota !== undefined)
      throw invalidRequest({ field: 'customQuota', message: 'is for the enterprise plan only' });
    return { plan };
  }
  if (customQuota === undefined)
    throw invalidRequest({ field: 'customQuota', message: 'is required on the enterprise plan' });
  for (const field of ['requestsPerMinute', 'requestsPerDay'] as const) {
    const value = customQuota[field];
    if (!Number.isInteger(value) || value < 1 || value > MAX_QUOTA)
      throw invalidRequest({
        field: `customQuota.${field}`,
        message: `must be an integer from 1 to ${MAX_QUOTA}`,
      });
  }
  return { plan, customQuota };
}

/** The limits a project lives under. */
export function quotaOfPlan(project: { plan: PlanId; customQuota?: CustomQuota }): CustomQuota {
  const { requestsPerMinute, requestsPerDay } = project.customQuota ?? PLANS[project.plan];
  if (requestsPerMinute === undefined || requestsPerDay === undefined)
    throw new Error(`the ${project.plan} plan needs a custom quota`);
  return { requestsPerMinute, requestsPerDay };
}
