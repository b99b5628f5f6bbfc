import { Field, Float, Int, ObjectType } from 'type-graphql';
import { WINDOW_NAMES } from '../../../../features/plans/window.js';
import type { ApiInterface, KeyRefusal, UsageOf } from '../../../../features/usage/usage.js';
import type { UsageRange } from '../../../../features/usage/usage-range.js';
import type { UnderPlan, Usage, UsageSum } from '../../../../features/usage/usage-service.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { ApiInterfaceEnum } from '../enums.js';
import { PLAN_TYPES, PlanType } from '../keys/quota-types.js';
import { Facts, SHORT_LIST } from '../../field-facts.js';

// Counts are Float: integers, exact up to 2^53, that clients receive as numbers. Int ends at 2^31.

@ObjectType('UsageStatus', {
  simpleResolvers: true,
  description: 'The requests that got one response status.',
})
export class UsageStatusType {
  @Field(() => Int, {
    description: 'The HTTP status code. 499 means that the client disconnected before the response.',
  })
  status!: number;

  @Field(() => Float, { description: 'The number of requests.' })
  requests!: number;
}

@ObjectType('UsageDay', { simpleResolvers: true, description: 'The requests of one UTC day.' })
export class UsageDayType {
  @Field(() => String, { description: 'The day in UTC, as YYYY-MM-DD.' })
  date!: string;

  @Field(() => Float, { description: 'The number of HTTP requests, including rejected requests.' })
  requests!: number;

  @Field(() => Float, { description: 'The number of quota units charged for the requests.' })
  cost!: number;

  @Field(() => Float, { description: 'The number of requests that were rejected with 429.' })
  refused!: number;

  @Facts(SHORT_LIST)
  @Field(() => [UsageStatusType], {
    description: 'The requests by status, in ascending order. Statuses without requests are omitted.',
  })
  byStatus!: UsageStatusType[];
}

@ObjectType('UsageGroup', {
  simpleResolvers: true,
  description: 'Requests with the same interface, operation and response status.',
})
export class UsageGroupType {
  @Field(() => ApiInterfaceEnum, { description: 'The interface that the requests used.' })
  interface!: ApiInterface;

  @Field(() => String, {
    description:
      'The operation, as the API names it: the `operationId` of a REST request, such as `listPets`, `uploadDeploy` or `uploadPetsImport`, or the root field of a GraphQL request. `several` means different root fields. `other` means that the request was no operation, or got a response before the gateway read it.',
  })
  operation!: string;

  @Field(() => Int, {
    description: 'The HTTP status code. 499 means that the client disconnected before the response.',
  })
  status!: number;

  @Field(() => Float, { description: 'The number of requests.' })
  requests!: number;

  @Field(() => Float, { description: 'The number of quota units charged for the requests.' })
  cost!: number;
}

@ObjectType('DayOverLimit', {
  simpleResolvers: true,
  description: 'A UTC day on which keys were charged more than a daily limit.',
})
export class DayOverLimitType {
  @Field(() => String, { description: 'The day in UTC, as YYYY-MM-DD.' })
  date!: string;

  @Field(() => Int, {
    description: 'The number of keys that exceeded the limit. The limit applies to each key separately.',
  })
  keys!: number;

  @Field(() => Float, {
    description: 'The number of quota units above the limit, for all these keys together.',
  })
  over!: number;
}

@ObjectType('UsageUnderPlan', {
  simpleResolvers: true,
  description:
    'What the daily limit of a plan would have rejected of the admitted requests. The comparison cannot know the effect of the limit per minute, or how many requests a client would have sent if more or fewer had been rejected. It leaves out rejected requests, because many of them are retries of the same request.',
})
export class UsageUnderPlanType {
  @Field(() => PlanType, {
    description:
      'The plan to compare with. Enterprise limits are agreed individually, so no day exceeds them.',
  })
  plan!: PlanType;

  @Facts({ weight: { mostItems: 'days', areNodes: false } })
  @Field(() => [DayOverLimitType], {
    description:
      'The days on which a key was charged more than the daily limit of the plan, in ascending order.',
  })
  daysOver!: DayOverLimitType[];

  @Field(() => Float, {
    description: 'The number of quota units above the limit, on all these days together.',
  })
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
  description: 'The requests made with a key, or with all keys of a project, on the UTC days of a range.',
})
export class UsageType {
  /** Whether `id` names a key or a project. */
  readonly kind!: UsageOf;
  readonly id!: string;
  readonly range!: UsageRange;

  @Field(() => DateTimeScalar, { description: 'The start of the first day of the range.' })
  from!: Date;

  @Field(() => DateTimeScalar, { description: 'The end of the last day of the range.' })
  to!: Date;

  @Field(() => DateTimeScalar, {
    description: 'The time up to which all requests are counted. The gateway writes the counts in batches.',
  })
  asOf!: Date;

  @Field(() => Float, {
    description:
      'The number of HTTP requests with a valid key, whatever the response. A batch counts as one request. Requests that a published site answered from its cache count too.',
  })
  requests!: number;

  @Field(() => Float, { description: 'The number of quota units charged for the requests.' })
  cost!: number;

  @Field(() => Float, {
    description: 'The number of requests that were rejected with 429, because of a quota or a ban.',
  })
  refused!: number;

  @Facts({ weight: { mostItems: 'days', areNodes: false } })
  @Field(() => [UsageDayType], {
    description: 'Each day of the range, in order, including days without requests.',
  })
  /** Read only if the document selects them. */
  days?: UsageDayType[];

  @Facts({ weight: { mostItems: 100, areNodes: false } })
  @Field(() => [UsageGroupType], {
    description: 'The requests by interface, operation and status, most requests first.',
  })
  groups!: UsageGroupType[];

  @Field(() => Int, { description: 'The number of bans that started.' })
  bans!: number;

  static of(kind: UsageOf, id: string, usage: UsageSum & Partial<Pick<Usage, 'days'>>): UsageType {
    return { ...usage, kind, id, from: usage.range.from, to: usage.range.to };
  }
}

@ObjectType('Refusal', {
  simpleResolvers: true,
  description:
    'Why a request was rejected with 429. For each key and window, the gateway keeps at most one rejection per second, and the latest 50 of a day.',
})
export class RefusalType implements KeyRefusal {
  /** The id of the key, for the field `apiKey`. */
  keyId!: string;

  @Field(() => DateTimeScalar, { description: 'When the request was rejected.' })
  at!: Date;

  @Field(() => String, {
    description: 'The error code of the response: `rate_limit_exceeded` or `key_banned`.',
  })
  code!: string;

  @Field(() => String, { description: 'The error message of the response, for people.' })
  message!: string;

  @Field(() => ApiInterfaceEnum, { description: 'The interface that the request used.' })
  interface!: ApiInterface;

  @Field(() => String, {
    nullable: true,
    description: 'The operation, as in `UsageGroup.operation`. Null if it is not known.',
  })
  operation!: string;

  @Field(() => String, {
    nullable: true,
    description: `The window whose limit was reached: ${WINDOW_NAMES.map((name) => `\`${name}\``).join(', ')}, or \`client\` for the share of one client of a browser key. Null for a ban.`,
  })
  window?: string | undefined;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of quota units that the window has. Null for a ban.',
  })
  limit?: number | undefined;

  @Field(() => Int, {
    nullable: true,
    description:
      'The number of quota units that the request needed. Null for a ban, which does not depend on the cost.',
  })
  cost?: number | undefined;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the window resets or the ban ends. Null if that was not known.',
  })
  resetAt?: Date | undefined;
}
