import type { WindowName } from './window.js';

/** From the smallest to the largest. */
export const PLAN_IDS = ['free', 'pro', 'business', 'enterprise'] as const;
export type PlanId = (typeof PLAN_IDS)[number];

/** The plan of a project that is created without one. */
export const DEFAULT_PLAN: PlanId = 'free';

/** The quota of each key, in units per window. */
export interface Quota {
  requestsPerMinute: number;
  requestsPerDay: number;
}

/**
 * The limit of each window. A window more needs a migration too: it adds the limit to the custom quotas that are stored.
 */
export const LIMITS = {
  minute: 'requestsPerMinute',
  day: 'requestsPerDay',
} as const satisfies Record<WindowName, keyof Quota>;

export const LIMIT_FIELDS = Object.values(LIMITS);

/** For display: `60 requests per minute and 1000 per day`. */
export function describeQuota<Limit>(
  quota: Readonly<Record<keyof Quota, Limit>>,
  format: (limit: Limit) => string = String,
): string {
  return Object.entries(LIMITS)
    .map(([name, field], i) => {
      const limit = format(quota[field]);
      const noun = limit === '1' ? ' request' : ' requests';
      return `${limit}${i === 0 ? noun : ''} per ${name}`;
    })
    .join(' and ');
}

/** The quota of a project whose plan has no fixed quota. */
export type CustomQuota = Quota;

export interface Plan {
  id: PlanId;
  name: string;
  /** `custom`: agreed per project, see CustomQuota. */
  quota: Quota | 'custom';
  /** The maximum number of active API keys of a project. */
  maxApiKeys: number;
  /** Whether a project's site can have custom domains. */
  includesDomains: boolean;
}

/** Limits per key. Because they apply per key, a plan also limits the number of keys. */
export const PLANS: Record<PlanId, Plan> = {
  free: {
    id: 'free',
    name: 'Free',
    quota: { requestsPerMinute: 60, requestsPerDay: 1_000 },
    maxApiKeys: 5,
    includesDomains: false,
  },
  pro: {
    id: 'pro',
    name: 'Pro',
    quota: { requestsPerMinute: 300, requestsPerDay: 10_000 },
    maxApiKeys: 20,
    includesDomains: true,
  },
  business: {
    id: 'business',
    name: 'Business',
    quota: { requestsPerMinute: 1_000, requestsPerDay: 100_000 },
    maxApiKeys: 100,
    includesDomains: true,
  },
  enterprise: {
    id: 'enterprise',
    name: 'Enterprise',
    quota: 'custom',
    maxApiKeys: 1_000,
    includesDomains: true,
  },
};

export const PLANS_WITHOUT_DOMAINS = PLAN_IDS.filter((id) => !PLANS[id].includesDomains);

/** For display: the plans that include domains. */
export const DOMAINS_FROM = `${PLAN_IDS.flatMap((id) => (PLANS[id].includesDomains ? PLANS[id].name : []))[0]} or above`;

/** For display: the ids of the plans with a custom quota. */
export const CUSTOM_QUOTA_PLANS = PLAN_IDS.filter((id) => PLANS[id].quota === 'custom').join(' or ');

export function mapPlans<T>(map: (plan: Plan) => T): Record<PlanId, T> {
  return Object.fromEntries(PLAN_IDS.map((id) => [id, map(PLANS[id])])) as Record<PlanId, T>;
}

/** The quota of a project. */
export function quotaOfPlan({ plan, customQuota }: { plan: PlanId; customQuota?: CustomQuota }): Quota {
  const { quota } = PLANS[plan];
  if (quota !== 'custom') return quota;
  if (customQuota === undefined) throw new Error(`the ${plan} plan needs a custom quota`);
  return customQuota;
}
