import {
  LIMIT_FIELDS,
  LIMITS,
  PLAN_IDS,
  PLANS,
  type PlanId,
  type Quota,
} from '../../../src/features/plans/plans.js';
import { Field, SelectField, type Choice } from '../../components/field.js';

export const PLAN_CHOICES: readonly Choice<PlanId>[] = PLAN_IDS.map((id) => ({
  value: id,
  label: PLANS[id].name,
}));

/** A plan, with the limits of a custom quota as typed. */
export interface ChosenPlan {
  plan: PlanId;
  limits: Record<keyof Quota, string>;
}

/** The plan with these limits, or with empty fields for them. */
export function chosenPlan(plan: PlanId, quota?: Quota | null): ChosenPlan {
  const limits = Object.fromEntries(LIMIT_FIELDS.map((field) => [field, String(quota?.[field] ?? '')]));
  return { plan, limits: limits as ChosenPlan['limits'] };
}

/** Returns the custom quota for the plan, or undefined if the plan has none. The API validates the numbers. */
export function customQuotaOf({ plan, limits }: ChosenPlan): Quota | undefined {
  if (PLANS[plan].quota !== 'custom') return undefined;
  const quota = Object.fromEntries(LIMIT_FIELDS.map((field) => [field, Number(limits[field])]));
  return quota as unknown as Quota;
}

export interface PlanFieldsProps {
  chosen: ChosenPlan;
  onChange: (chosen: ChosenPlan) => void;
}

export function PlanFields({ chosen, onChange }: PlanFieldsProps) {
  return (
    <>
      <SelectField
        label="Plan"
        name="plan"
        value={chosen.plan}
        choices={PLAN_CHOICES}
        onChange={(plan) => onChange({ ...chosen, plan })}
      />
      {PLANS[chosen.plan].quota === 'custom' &&
        Object.entries(LIMITS).map(([window, field]) => (
          <Field
            key={field}
            label={`Requests per ${window}`}
            name={field}
            type="number"
            hint="The agreed limit of each key."
            value={chosen.limits[field]}
            onChange={(limit) => onChange({ ...chosen, limits: { ...chosen.limits, [field]: limit } })}
            isRequired
          />
        ))}
    </>
  );
}
