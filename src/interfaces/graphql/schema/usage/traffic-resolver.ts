import { Arg, Ctx, Int, Query, Resolver } from 'type-graphql';
import { checkPageSize } from '../../../../lib/page-size.js';
import type { TrafficPeriod } from '../../../../features/usage/traffic.js';
import type { GraphQLParts } from '../../parts.js';
import { requireRole, type GraphQLContext } from '../context.js';
import { TrafficPeriodEnum } from '../enums.js';
import { TrafficType } from './traffic-types.js';
import { Facts } from '../../field-facts.js';

const DEFAULT_LAST = 60;

@Resolver()
export class TrafficResolver {
  constructor(private readonly services: Pick<GraphQLParts, 'traffic'>) {}

  @Facts({ weight: { mostItems: 100, areNodes: true } })
  @Query(() => TrafficType, {
    description:
      'The requests to the API of all gateways on this database, by period, interface and source. Admins only.',
  })
  async traffic(
    @Arg('by', () => TrafficPeriodEnum, {
      nullable: true,
      defaultValue: 'minute',
      description: 'The length of the periods. Defaults to `minute`.',
    })
    by: TrafficPeriod | null,
    @Arg('last', () => Int, {
      nullable: true,
      defaultValue: DEFAULT_LAST,
      description: `The number of periods, 1 to 100, including the current one. Defaults to ${DEFAULT_LAST}.`,
    })
    last: number | null,
    @Ctx() context: GraphQLContext,
  ): Promise<TrafficType> {
    requireRole(context, 'admin');
    const count = checkPageSize(last ?? DEFAULT_LAST, 'last');
    return context.heavyRead(() => this.services.traffic.last(by ?? 'minute', count));
  }
}
