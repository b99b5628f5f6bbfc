import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { ApiInterface, Refusal, UsageOf } from '../../../../features/usage/usage.js';
import type { UnderPlan, Usage } from '../../../../features/usage/usage-service.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { ApiInterfaceEnum } from '../enums.js';
import { PLAN_TYPES, PlanType } from '../keys/quota-types.js';

// Counts are Float: integers, exact up to 2^53, that clients may have as numbers. Int ends at 2^31.

@ObjectType('UsageStatus', {
  simpleResolvers: true,
  description: 'The requests that were answered with one status.',
})
export class UsageStatusType {
  @Field(() => Int, { description: 'The HTTP status number; 499: the client went before it was answered.' })
  status!: number;

  @Field(() => Float, { description: 'The number of requests.' })
  requests!: number;
}

@ObjectType('UsageDay', { simpleResolvers: true, description: 'The requests of one UTC day.' })
export class UsageDayType {
  @Field(() => String, { description: 'The day in UTC, as YYYY-MM-DD.' })
  date!: string;

  @Field(() => Float, { description: 'The number of HTTP requests, refused ones too.' })
  requests!: number;

  @Field(() => Float, { description: 'Units of quota that the requests were charged.' })
  cost!: number;

  @Field(() => Float, { description: 'The number of requests that were answered 429.' })
  refused!: number;

  @Field(() => [UsageStatusType], {
    description: 'The requests by status, in ascending order; without those that no request had.',
  })
  byStatus!: UsageStatusType[];
}

@ObjectType('UsageGroup', {
  simpleResolvers: true,
  description: 'Requests that came in the same way, asked for the same and were answered the same.',
})
export class UsageGroupType {
  @Field(() => ApiInterfaceEnum, { description: 'The interface that the requests used.' })
  interface!: ApiInterface;

  @Field(() => String, {
    description:
      'What was asked for, as the API names it: listPets, createPet, getPet, uploadDeploy, or the root field of a GraphQL request; `several` where that has different ones, `other` for what is no operation or was answered before it was read.',
  })
  operation!: string;

  @Field(() => Int, { description: 'The HTTP status number; 499: the client went before it was answered.' })
  status!: number;

  @Field(() => Float, { description: 'The number of requests.' })
  requests!: number;

  @Field(() => Float, { description: 'Units of quota that the requests were charged.' })
  cost!: number;
}

@ObjectType('DayOverLimit', {
  simpleResolvers: true,
  description: "A UTC day on which keys were charged more than a day's limit.",
})
export class DayOverLimitType {
  @Field(() => String, { description: 'The day in UTC, as YYYY-MM-DD.' })
  date!: string;

  @Field(() => Int, {
    description: 'The number of keys that were beyond the limit. Each key has it for itself.',
  })
  keys!: number;

  @Field(() => Float, { description: 'Units of quota beyond the limit, of all these keys together.' })
  over!: number;
}

@ObjectType('UsageUnderPlan', {
  simpleResolvers: true,
  description:
    'What the day limit of a plan would have refused of the requests that were admitted. It cannot know what the limit of the minute would have done, nor how many requests a client would have sent that had been refused less or more often; requests that were refused are not in it, since many of them are the same one sent again.',
})
export class UsageUnderPlanType {
  @Field(() => PlanType, {
    description:
      'The plan that was asked about. On enterprise limits are agreed individually: no day is over.',
  })
  plan!: PlanType;

  @Field(() => [DayOverLimitType], {
    description: 'The days on which a key was charged more than the plan allows a day, in ascending order.',
  })
  daysOver!: DayOverLimitType[];

  @Field(() => Float, { description: 'Units of quota beyond the limit, on all of these days.' })
  over!: number;

  static of({ plan, daysOver, over }: UnderPlan): UsageUnderPlanType {
    return {
      plan: PLAN_TYPES[plan],
      daysOver: daysOver.map(({ day, ...rest }) => ({ date: day, ...rest })),
      over,
    };
  }
}

@ObjectType('Usage', {
  simpleResolvers: true,
  description: 'What was asked with a key, or with all keys of a project, on some UTC days.',
})
export class UsageType {
  constructor(
    /** Whose it is. */
    readonly kind: UsageOf,
    readonly id: string,
    readonly usage: Usage,
  ) {}

  @Field(() => DateTimeScalar, { description: 'When the first day of the range begins.' })
  get from(): Date {
    return this.usage.range.from;
  }

  @Field(() => DateTimeScalar, { description: 'When the last day of the range ends.' })
  get to(): Date {
    return this.usage.range.to;
  }

  @Field(() => DateTimeScalar, {
    description: 'Until when all requests are counted: counts are written in batches.',
  })
  get asOf(): Date {
    return this.usage.asOf;
  }

  @Field(() => Float, {
    description:
      'The number of HTTP requests with a valid key, whatever they were answered, a batch as one; those that a published site answered from what it keeps too.',
  })
  get requests(): number {
    return this.usage.requests;
  }

  @Field(() => Float, { description: 'Units of quota that the requests were charged.' })
  get cost(): number {
    return this.usage.cost;
  }

  @Field(() => Float, { description: 'The number of requests that were answered 429, for a quota or a ban.' })
  get refused(): number {
    return this.usage.refused;
  }

  @Field(() => [UsageDayType], {
    description: 'Each day of the range, in order, those without requests too.',
  })
  get days(): UsageDayType[] {
    return this.usage.days;
  }

  @Field(() => [UsageGroupType], {
    description: 'The requests by interface, operation and status, most requests first.',
  })
  get groups(): UsageGroupType[] {
    return this.usage.groups;
  }

  @Field(() => Int, { description: 'The number of bans that began.' })
  get bans(): number {
    return this.usage.bans;
  }
}

@ObjectType('Refusal', {
  simpleResolvers: true,
  description:
    'Why a request was answered 429. For each key and window one refusal a second is kept, and the latest 50 of a day.',
})
export class RefusalType implements Refusal {
  @Field(() => DateTimeScalar, { description: 'When the request was refused.' })
  at!: Date;

  @Field(() => String, {
    description: 'The error code that was answered: `rate_limit_exceeded` or `key_banned`.',
  })
  code!: string;

  @Field(() => String, { description: 'What the client was told, for people.' })
  message!: string;

  @Field(() => ApiInterfaceEnum, { description: 'The interface that the request used.' })
  interface!: ApiInterface;

  @Field(() => String, {
    nullable: true,
    description: 'What was asked for, as `UsageGroup.operation` names it; null where that is not known.',
  })
  operation!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The window that was used up: `minute`, `day`, or `client` for the share of one client in a browser key. Null for a ban.',
  })
  window?: string | undefined;

  @Field(() => Int, { nullable: true, description: 'Units of quota that the window has; null for a ban.' })
  limit?: number | undefined;

  @Field(() => Int, {
    nullable: true,
    description: 'Units of quota that the request needed; null for a ban, which does not look at it.',
  })
  cost?: number | undefined;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the window begins anew, or the ban ends; null where that was not known.',
  })
  resetAt?: Date | undefined;
}
