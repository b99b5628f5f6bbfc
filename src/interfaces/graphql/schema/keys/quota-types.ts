import { Field, InputType, Int, ObjectType } from 'type-graphql';
import type { KeyQuota, KeyStrikes } from '../../../../features/quotas/key-quotas.js';
import type { StrikableKey } from '../../../../features/quotas/strikes.js';
import { mapPlans, type CustomQuota, type PlanId } from '../../../../features/plans/plans.js';
import { WINDOW_NAMES, type WindowName, type WindowState } from '../../../../features/plans/window.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { PlanIdEnum, QuotaWindowNameEnum } from '../enums.js';
import { Facts, SHORT_LIST } from '../../field-facts.js';

@ObjectType('Plan', {
  simpleResolvers: true,
  description: 'A plan. It sets the quota of each key of a project.',
})
export class PlanType {
  @Field(() => PlanIdEnum, { description: 'The id of the plan.' })
  id!: PlanId;

  @Field(() => String, { description: 'The name of the plan, for people.' })
  name!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'The number of quota units for each key per minute. Most requests cost one unit. Null if agreed individually: see `Project.customQuota`.',
  })
  requestsPerMinute?: number | undefined;

  @Field(() => Int, {
    nullable: true,
    description:
      'The number of quota units for each key per UTC day. Most requests cost one unit. Null if agreed individually: see `Project.customQuota`.',
  })
  requestsPerDay?: number | undefined;

  @Field(() => Int, {
    description:
      'The maximum number of active keys of a project on this plan. Creating another key fails with the error `plan_required`. Existing keys keep working after a change to a smaller plan.',
  })
  maxApiKeys!: number;
}

export const PLAN_TYPES = mapPlans(({ id, name, quota, maxApiKeys }): PlanType => ({
  id,
  name,
  maxApiKeys,
  ...(quota !== 'custom' && quota),
}));

@ObjectType('QuotaWindow', {
  simpleResolvers: true,
  description: 'A window in which the gateway counts the requests of a key.',
})
export class QuotaWindowType {
  @Field(() => QuotaWindowNameEnum, { description: 'The name of the window.' })
  name!: WindowName;

  @Field(() => Int, { description: 'The number of quota units that the window has.' })
  limit!: number;

  @Field(() => Int, {
    description:
      'The number of quota units charged in the window. It is above `limit` after a downgrade of the plan. While the quota store is down, it lacks what other gateway processes admit.',
  })
  used!: number;

  @Field(() => Int, {
    description: 'The number of quota units left in the window. It can be too low, but never too high.',
  })
  remaining!: number;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the window resets, or null if it has not started.',
  })
  resetAt?: Date | undefined;
}

@ObjectType('Ban', {
  simpleResolvers: true,
  description: 'A temporary ban of a key, for repeated requests after a 429.',
})
export class BanType {
  @Field(() => DateTimeScalar, { description: 'When the ban ends automatically.' })
  until!: Date;

  @Field(() => Int, {
    description:
      'The number of bans of this key on the UTC day on which this ban started. Each ban lasts twice as long as the one before, up to a maximum.',
  })
  offences!: number;
}

@ObjectType('Strikes', {
  simpleResolvers: true,
  description:
    'The strikes of a key. A key gets strikes while its client keeps sending requests before `Retry-After` has passed, and too many of them ban it.',
})
export class StrikesType implements KeyStrikes {
  @Field(() => Int, {
    description: 'The number of strikes that count now: by default, those of the last 5 minutes.',
  })
  count!: number;

  @Field(() => Int, {
    description: 'The number of further strikes that ban the key, as `strikesLeft` in the details of a 429.',
  })
  left!: number;
}

@ObjectType('Quota', {
  simpleResolvers: true,
  description: 'The quota of a key: its limits, what is left of them, and whether the key is banned.',
})
export class QuotaType {
  /** What the resolver of its strikes reads. */
  readonly key!: StrikableKey;

  @Field(() => PlanType, {
    nullable: true,
    description: 'The plan that sets the limits. Null for an admin key.',
  })
  plan?: PlanType | undefined;

  @Facts(SHORT_LIST)
  @Field(() => [QuotaWindowType], {
    description: `The windows of the key, in the order ${WINDOW_NAMES.join(', ')}. An admin key has only the minute.`,
  })
  windows!: QuotaWindowType[];

  @Field(() => BanType, {
    nullable: true,
    description: 'The ban that is in force, or null if the key is not banned.',
  })
  ban?: BanType | undefined;

  @Field(() => Boolean, {
    description:
      "Whether the quota store is down. If true, `used`, `remaining` and `resetAt` of the windows are this gateway process's own counts, not those of the key: they lack what other processes counted. It stays true until the processes have added their counts to the store.",
  })
  isStoreDown!: boolean;

  static of(key: StrikableKey, { plan, windows, ban, isStoreDown }: KeyQuota): QuotaType {
    return { key, plan: plan && PLAN_TYPES[plan], windows: windows.map(toWindowType), ban, isStoreDown };
  }
}

@ObjectType('CustomQuota', {
  simpleResolvers: true,
  description:
    'The individually agreed limits of a project on the enterprise plan. They apply to each of its keys separately.',
})
export class CustomQuotaType implements CustomQuota {
  @Field(() => Int, { description: 'The number of quota units per minute. Most requests cost one unit.' })
  requestsPerMinute!: number;

  @Field(() => Int, { description: 'The number of quota units per UTC day. Most requests cost one unit.' })
  requestsPerDay!: number;
}

@InputType('CustomQuotaInput', {
  description:
    'The individually agreed limits of a project on the enterprise plan. They apply to each of its keys separately.',
})
export class CustomQuotaInput implements CustomQuota {
  @Field(() => Int, { description: 'The number of quota units per minute, 1 to 2147483647.' })
  requestsPerMinute!: number;

  @Field(() => Int, { description: 'The number of quota units per UTC day, 1 to 2147483647.' })
  requestsPerDay!: number;
}

function toWindowType({ name, limit, used, remaining, resetAtMs }: WindowState): QuotaWindowType {
  return {
    name,
    limit,
    used,
    remaining,
    resetAt: resetAtMs === undefined ? undefined : new Date(resetAtMs),
  };
}
