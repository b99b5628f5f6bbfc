import { Field, InputType, Int, ObjectType } from 'type-graphql';
import type { KeyQuota } from '../../quotas/key-quotas.js';
import { PLANS, type CustomQuota, type PlanId } from '../../quotas/plans.js';
import type { WindowName, WindowState } from '../../quotas/window.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { PlanIdEnum, QuotaWindowNameEnum } from './enums.js';

@ObjectType('Plan', { simpleResolvers: true, description: 'A plan (specification 8.2).' })
export class PlanType {
  @Field(() => PlanIdEnum, { description: 'Its id.' })
  id!: PlanId;

  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => Int, { nullable: true, description: 'Null: agreed individually, see CustomQuota.' })
  requestsPerMinute?: number | undefined;

  @Field(() => Int, { nullable: true, description: 'Null: agreed individually, see CustomQuota.' })
  requestsPerDay?: number | undefined;
}

@ObjectType('QuotaWindow', {
  simpleResolvers: true,
  description: 'One of the windows that requests are counted in.',
})
export class QuotaWindowType {
  @Field(() => QuotaWindowNameEnum, { description: 'Which window.' })
  name!: WindowName;

  @Field(() => Int, { description: 'The requests it allows.' })
  limit!: number;

  @Field(() => Int, { description: 'The requests used.' })
  used!: number;

  @Field(() => Int, { description: 'The requests left.' })
  remaining!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends; null: not begun.' })
  resetAt?: Date | undefined;
}

@ObjectType('Ban', { simpleResolvers: true, description: 'A temporary ban of a key (specification 8.4).' })
export class BanType {
  @Field(() => DateTimeScalar, { description: 'When it ends.' })
  until!: Date;

  @Field(() => Int, { description: 'Bans of this key on that UTC day; each doubles the next.' })
  offences!: number;
}

@ObjectType('Quota', { simpleResolvers: true, description: "A key's quota as it stands." })
export class QuotaType {
  @Field(() => PlanType, { nullable: true, description: 'Null for an admin key.' })
  plan?: PlanType | undefined;

  @Field(() => [QuotaWindowType], { description: 'Minute and day; for an admin key the minute.' })
  windows!: QuotaWindowType[];

  @Field(() => BanType, { nullable: true, description: 'Null unless the key is banned now.' })
  ban?: BanType | undefined;

  static of({ plan, windows, ban }: KeyQuota): QuotaType {
    return { plan: plan && PLANS[plan], windows: windows.map(toWindowType), ban };
  }
}

@ObjectType('CustomQuota', {
  simpleResolvers: true,
  description: 'Limits agreed individually, on the enterprise plan.',
})
export class CustomQuotaType {
  @Field(() => Int, { description: 'Requests per minute.' })
  requestsPerMinute!: number;

  @Field(() => Int, { description: 'Requests per UTC day.' })
  requestsPerDay!: number;
}

@InputType('CustomQuotaInput', { description: 'Limits agreed individually, on the enterprise plan.' })
export class CustomQuotaInput implements CustomQuota {
  @Field(() => Int, { description: 'Requests per minute, at least 1.' })
  requestsPerMinute!: number;

  @Field(() => Int, { description: 'Requests per UTC day, at least 1.' })
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
