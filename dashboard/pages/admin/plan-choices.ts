import { PLAN_IDS, PLANS, type PlanId } from '../../../src/features/plans/plans.js';

export const PLAN_CHOICES: readonly { value: PlanId; label: string }[] = PLAN_IDS.map((id) => ({
  value: id,
  label: PLANS[id].name,
}));

/** For a filter. */
export const ANY_PLAN: readonly { value: PlanId | ''; label: string }[] = [
  { value: '', label: 'Any' },
  ...PLAN_CHOICES,
];
