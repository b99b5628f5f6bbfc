import { Arg, Ctx, FieldResolver, Int, Query, Resolver } from 'type-graphql';
import { checkPageSize } from '../../../../features/pets/page.js';
import type { SystemStatus } from '../../../../features/system/system-health.js';
import { requireRole, type GraphQLContext } from '../context.js';
import { ExpiringCertificateType, SystemHealthType } from './system-types.js';

const DEFAULT_WITHIN_DAYS = 30;
const DEFAULT_FIRST = 50;

@Resolver(() => SystemHealthType)
export class SystemResolver {
  constructor(private readonly system: SystemStatus) {}

  @Query(() => SystemHealthType, { description: 'The health of the gateway. Admins only.' })
  async systemHealth(@Ctx() context: GraphQLContext): Promise<SystemHealthType> {
    requireRole(context, 'admin');
    return new SystemHealthType(await this.system.health());
  }

  @FieldResolver(() => [ExpiringCertificateType], {
    description:
      "The SSL certificates of customers' domains and of platform hosts that expire soon or have expired, in order of expiry, earliest first.",
  })
  certificatesExpiring(
    @Arg('withinDays', () => Int, {
      nullable: true,
      defaultValue: DEFAULT_WITHIN_DAYS,
      description: 'How soon the certificates expire, in days, 0 to 400. Defaults to 30.',
    })
    withinDays: number | null,
    @Arg('first', () => Int, {
      nullable: true,
      defaultValue: DEFAULT_FIRST,
      description: 'The maximum number of certificates to return, 1 to 100. Defaults to 50.',
    })
    first: number | null,
  ): Promise<ExpiringCertificateType[]> {
    return this.system.certificatesExpiring(
      withinDays ?? DEFAULT_WITHIN_DAYS,
      checkPageSize(first ?? DEFAULT_FIRST, 'first'),
    );
  }
}
