import type { PlanId } from '../plans/plan-documents.js';

export const PLAN_IDS = ['free', 'pro', 'business', 'enterprise'] as const satisfies readonly PlanId[];

export const PLAN_CHOICES: readonly { value: PlanId; label: string }[] = [
  { value: 'free', label: 'Free' },
  { value: 'pro', label: 'Pro' },
  { value: 'business', label: 'Business' },
  { value: 'enterprise', label: 'Enterprise' },
];

/** For a filter. */
export const ANY_PLAN: readonly { value: PlanId | ''; label: string }[] = [
  { value: '', label: 'Any' },
  ...PLAN_CHOICES,
];
