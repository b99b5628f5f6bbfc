import { ApiError } from '../../lib/errors.js';
import { PLAN_IDS, PLANS, type PlanId } from '../plans/plans.js';
import { DAY_MS } from '../../lib/clock.js';

/** The numbers of API keys of one project. */
export interface KeyCounts {
  /** Keys that are neither revoked nor expired. */
  active: number;
  /** Keys created within the last CREATED_WITHIN_MS, in any state. */
  created: number;
}

/** New keys start with full windows. Without this limit, an owner could revoke used-up keys and create new ones. */
export const CREATED_WITHIN_MS = DAY_MS;
const CREATED_PER_KEY_OF_PLAN = 2;

/**
 * Checks that the plan includes one more API key.
 * @throws ApiError plan_required, with the smallest plan that includes the key in `details.upgradeTo`
 */
export function assertKeyIncluded(plan: PlanId, { active, created }: KeyCounts): void {
  const { name, maxApiKeys } = PLANS[plan];
  if (active >= maxApiKeys)
    throw planRequired(
      `The ${name} plan includes ${maxApiKeys} active API keys, and this project has ${active}. Revoke a key`,
      { plan, maxApiKeys, activeApiKeys: active },
      (other) => PLANS[other].maxApiKeys > active,
    );
  const maxCreated = maxApiKeys * CREATED_PER_KEY_OF_PLAN;
  if (created >= maxCreated)
    throw planRequired(
      `On the ${name} plan a project can create ${maxCreated} API keys within 24 hours, and this project has created ${created}. Rotate a key instead, wait`,
      { plan, maxCreatedWithin24Hours: maxCreated, createdWithin24Hours: created },
      (other) => PLANS[other].maxApiKeys * CREATED_PER_KEY_OF_PLAN > created,
    );
}

function planRequired(
  sentence: string,
  details: Record<string, unknown>,
  includesKey: (plan: PlanId) => boolean,
): ApiError {
  const upgradeTo = PLAN_IDS.find(includesKey);
  const upgrade =
    upgradeTo === undefined
      ? '.'
      : `, or upgrade the project to ${PLANS[upgradeTo].name}, which includes ${PLANS[upgradeTo].maxApiKeys}.`;
  return new ApiError('plan_required', sentence + upgrade, {
    details: { ...details, upgradeTo: upgradeTo ?? null },
  });
}
