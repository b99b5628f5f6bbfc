import { Field, Float, Int, ObjectType } from 'type-graphql';
import { PAGE_SIZE } from '../../../../lib/page-size.js';
import {
  TRAFFIC_SOURCES,
  type TrafficGroup,
  type TrafficSource,
} from '../../../../features/usage/traffic.js';
import type { Traffic, TrafficOfPeriod } from '../../../../features/usage/traffic-service.js';
import type { ApiInterface } from '../../../../features/usage/usage.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { ApiInterfaceEnum, TrafficSourceEnum } from '../enums.js';
import { Facts, type FieldFacts } from '../../field-facts.js';

// Counts are Float: integers, exact up to 2^53, that clients receive as numbers. Int ends at 2^31.

@ObjectType({ simpleResolvers: true })
abstract class RequestCounts {
  @Field(() => Float, {
    description:
      'The number of HTTP requests to the API, whatever the response. A batch counts as one request. Requests of dashboard sessions count only if the key was charged for them.',
  })
  requests!: number;

  @Field(() => Float, {
    description:
      'The number of requests with a 4xx response other than 429, including requests whose client disconnected before the response.',
  })
  clientErrors!: number;

  @Field(() => Float, { description: 'The number of requests that were rejected with 429.' })
  refused!: number;

  @Field(() => Float, { description: 'The number of requests with a 5xx response.' })
  serverErrors!: number;
}

const BANS = { description: 'The number of bans that started.' };

@ObjectType('TrafficGroup', {
  simpleResolvers: true,
  description: 'Requests over one interface from one source.',
})
export class TrafficGroupType extends RequestCounts implements TrafficGroup {
  @Field(() => ApiInterfaceEnum, { description: 'The interface that the requests used.' })
  interface!: ApiInterface;

  @Field(() => TrafficSourceEnum, { description: 'Who sent the requests.' })
  source!: TrafficSource;
}

const GROUPS = {
  description:
    'The requests by interface and source, most requests first. Groups without requests are omitted.',
};

/** Each source over both interfaces. */
const MOST_GROUPS: FieldFacts = { weight: { mostItems: 2 * TRAFFIC_SOURCES.length, areNodes: false } };

@ObjectType('PeriodTraffic', { simpleResolvers: true, description: 'The requests of one period.' })
export class PeriodTrafficType extends RequestCounts implements TrafficOfPeriod {
  @Field(() => DateTimeScalar, { description: 'The start of the period.' })
  start!: Date;

  @Field(() => Int, BANS)
  bans!: number;

  @Facts(MOST_GROUPS)
  @Field(() => [TrafficGroupType], GROUPS)
  groups!: TrafficGroup[];
}

@ObjectType('Traffic', {
  simpleResolvers: true,
  description: 'The requests to the API of all gateways on one database, in consecutive periods.',
})
export class TrafficType extends RequestCounts implements Traffic {
  @Field(() => DateTimeScalar, {
    description:
      'The time up to which all requests are counted. Each gateway writes its counts every few seconds.',
  })
  asOf!: Date;

  @Field(() => Int, BANS)
  bans!: number;

  @Facts({ weight: { mostItems: PAGE_SIZE.maximum, areNodes: false } })
  @Field(() => [PeriodTrafficType], {
    description:
      'Each period, in order, including periods without requests. The last one is the current period, which is not over.',
  })
  periods!: TrafficOfPeriod[];

  @Facts(MOST_GROUPS)
  @Field(() => [TrafficGroupType], GROUPS)
  groups!: TrafficGroup[];
}
