import { PLANS, type PlanId, type Quota } from '../../../../src/features/plans/plans.js';
import type { ApiFailure } from '../../../api/api-failure.js';
import { Field, SelectField } from '../../../components/field.js';
import { PLAN_CHOICES } from '../plan-choices.js';

/** A plan, with the limits of a custom quota as typed. */
export interface ChosenPlan {
  plan: PlanId;
  perMinute: string;
  perDay: string;
}

/** The fields that show their own errors here. */
export const PLAN_FIELDS = ['plan', 'requestsPerMinute', 'requestsPerDay'];

/** Returns the custom quota for the plan, or undefined if the plan has none. The API validates the numbers. */
export function customQuotaOf({ plan, perMinute, perDay }: ChosenPlan): Quota | undefined {
  if (PLANS[plan].quota !== 'custom') return undefined;
  return { requestsPerMinute: Number(perMinute), requestsPerDay: Number(perDay) };
}

export interface PlanFieldsProps {
  chosen: ChosenPlan;
  onChange: (chosen: ChosenPlan) => void;
  failure: ApiFailure | undefined;
}

export function PlanFields({ chosen, onChange, failure }: PlanFieldsProps) {
  return (
    <>
      <SelectField
        label="Plan"
        name="plan"
        value={chosen.plan}
        choices={PLAN_CHOICES}
        onChange={(plan) => onChange({ ...chosen, plan })}
        error={failure?.at('plan')}
      />
      {PLANS[chosen.plan].quota === 'custom' && (
        <>
          <Field
            label="Requests a minute"
            name="requestsPerMinute"
            type="number"
            hint="As agreed, for each key."
            value={chosen.perMinute}
            onChange={(perMinute) => onChange({ ...chosen, perMinute })}
            error={failure?.at('requestsPerMinute')}
            isRequired
          />
          <Field
            label="Requests a day"
            name="requestsPerDay"
            type="number"
            hint="As agreed, for each key."
            value={chosen.perDay}
            onChange={(perDay) => onChange({ ...chosen, perDay })}
            error={failure?.at('requestsPerDay')}
            isRequired
          />
        </>
      )}
    </>
  );
}
