import { PLAN_IDS, PLANS, type PlanId, type Quota } from '../../../src/features/plans/plans.js';
import { Field, SelectField, type Choice } from '../../components/field.js';

export const PLAN_CHOICES: readonly Choice<PlanId>[] = PLAN_IDS.map((id) => ({
  value: id,
  label: PLANS[id].name,
}));

/** A plan, with the limits of a custom quota as typed. */
export interface ChosenPlan {
  plan: PlanId;
  perMinute: string;
  perDay: string;
}

/** Returns the custom quota for the plan, or undefined if the plan has none. The API validates the numbers. */
export function customQuotaOf({ plan, perMinute, perDay }: ChosenPlan): Quota | undefined {
  if (PLANS[plan].quota !== 'custom') return undefined;
  return { requestsPerMinute: Number(perMinute), requestsPerDay: Number(perDay) };
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
      {PLANS[chosen.plan].quota === 'custom' && (
        <>
          <Field
            label="Requests per minute"
            name="requestsPerMinute"
            type="number"
            hint="The agreed limit of each key."
            value={chosen.perMinute}
            onChange={(perMinute) => onChange({ ...chosen, perMinute })}
            isRequired
          />
          <Field
            label="Requests per day"
            name="requestsPerDay"
            type="number"
            hint="The agreed limit of each key."
            value={chosen.perDay}
            onChange={(perDay) => onChange({ ...chosen, perDay })}
            isRequired
          />
        </>
      )}
    </>
  );
}
