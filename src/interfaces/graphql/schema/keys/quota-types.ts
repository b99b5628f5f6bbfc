import { Field, InputType, Int, ObjectType } from 'type-graphql';
import type { KeyQuota } from '../../../../features/quotas/key-quotas.js';
import { mapPlans, type CustomQuota, type PlanId } from '../../../../features/plans/plans.js';
import type { WindowName, WindowState } from '../../../../features/plans/window.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { PlanIdEnum, QuotaWindowNameEnum } from '../enums.js';

@ObjectType('Plan', {
  simpleResolvers: true,
  description: 'A plan, which decides how much each key of a project may ask for (specification 8.2).',
})
export class PlanType {
  @Field(() => PlanIdEnum, { description: 'The id of the plan.' })
  id!: PlanId;

  @Field(() => String, { description: 'The name of the plan, for people.' })
  name!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'Units of quota for each key and minute; most requests cost one. Null: agreed individually, see `Project.customQuota`.',
  })
  requestsPerMinute?: number | undefined;

  @Field(() => Int, {
    nullable: true,
    description:
      'Units of quota for each key and UTC day; most requests cost one. Null: agreed individually, see `Project.customQuota`.',
  })
  requestsPerDay?: number | undefined;

  @Field(() => Int, {
    description:
      'The largest number of active keys that a project on this plan can have. Creating one more is the error `plan_required`; keys that exist keep working after a change to a smaller plan.',
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
  description: 'One of the windows that the requests of a key are counted in.',
})
export class QuotaWindowType {
  @Field(() => QuotaWindowNameEnum, { description: 'Which of the windows it is.' })
  name!: WindowName;

  @Field(() => Int, { description: 'Units of quota that the window has.' })
  limit!: number;

  @Field(() => Int, { description: 'Units of quota that were charged in the window.' })
  used!: number;

  @Field(() => Int, { description: 'Units of quota that are left in the window, never more than there are.' })
  remaining!: number;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the window ends; null: it has not begun.',
  })
  resetAt?: Date | undefined;
}

@ObjectType('Ban', {
  simpleResolvers: true,
  description: 'A temporary ban of a key, for requests that were repeated against a 429 (specification 8.4).',
})
export class BanType {
  @Field(() => DateTimeScalar, { description: 'When the ban ends by itself.' })
  until!: Date;

  @Field(() => Int, {
    description:
      'The number of bans of this key on that UTC day. Each one lasts twice as long as the one before, up to a limit.',
  })
  offences!: number;
}

@ObjectType('Quota', { simpleResolvers: true, description: 'How much a key may still ask for.' })
export class QuotaType {
  @Field(() => PlanType, {
    nullable: true,
    description: 'The plan that decides the limits; null for an admin key.',
  })
  plan?: PlanType | undefined;

  @Field(() => [QuotaWindowType], {
    description:
      'The windows that are counted in, in the order minute, day. An admin key has the minute only.',
  })
  windows!: QuotaWindowType[];

  @Field(() => BanType, {
    nullable: true,
    description: 'The ban that is in force; null unless the key is banned now.',
  })
  ban?: BanType | undefined;

  static of({ plan, windows, ban }: KeyQuota): QuotaType {
    return { plan: plan && PLAN_TYPES[plan], windows: windows.map(toWindowType), ban };
  }
}

@ObjectType('CustomQuota', {
  simpleResolvers: true,
  description:
    'The limits of a project on the enterprise plan, agreed individually. Each of its keys has them for itself.',
})
export class CustomQuotaType {
  @Field(() => Int, { description: 'Units of quota for each minute; most requests cost one.' })
  requestsPerMinute!: number;

  @Field(() => Int, { description: 'Units of quota for each UTC day; most requests cost one.' })
  requestsPerDay!: number;
}

@InputType('CustomQuotaInput', {
  description:
    'The limits of a project on the enterprise plan, agreed individually. Each of its keys has them for itself.',
})
export class CustomQuotaInput implements CustomQuota {
  @Field(() => Int, { description: 'Units of quota for each minute, 1 to 2147483647.' })
  requestsPerMinute!: number;

  @Field(() => Int, { description: 'Units of quota for each UTC day, 1 to 2147483647.' })
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
