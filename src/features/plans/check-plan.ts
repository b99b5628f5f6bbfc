import { invalidRequest } from '../../lib/errors.js';
import { CUSTOM_QUOTA_PLANS, LIMITS, PLANS, type CustomQuota, type PlanId } from './plans.js';

/** The maximum of GraphQL's Int and of the counters' 32-bit integers. */
const MAX_QUOTA = 2 ** 31 - 1;

/**
 * Returns a plan with its quota. A plan without a fixed quota requires a custom quota; other plans take none.
 * @throws ApiError invalid_request
 */
export function checkPlan(
  plan: PlanId,
  customQuota: CustomQuota | undefined,
): { plan: PlanId; customQuota?: CustomQuota } {
  if (PLANS[plan].quota !== 'custom') {
    if (customQuota !== undefined)
      throw invalidRequest({ field: 'customQuota', message: `is for the ${CUSTOM_QUOTA_PLANS} plan only` });
    return { plan };
  }
  if (customQuota === undefined)
    throw invalidRequest({ field: 'customQuota', message: `is required on the ${plan} plan` });
  for (const field of Object.values(LIMITS)) {
    const value = customQuota[field];
    if (!Number.isInteger(value) || value < 1 || value > MAX_QUOTA)
      throw invalidRequest({
        field: `customQuota.${field}`,
        message: `must be an integer from 1 to ${MAX_QUOTA}`,
      });
  }
  return { plan, customQuota };
}
