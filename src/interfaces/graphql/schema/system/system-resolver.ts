import { Arg, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { checkPageSize } from '../../../../lib/page-size.js';
import type { GraphQLParts } from '../../parts.js';
import { requireRole, type GraphQLContext } from '../context.js';
import { ProjectType } from '../projects/project-types.js';
import { DomainNeedingActionType, ExpiringCertificateType, SystemHealthType } from './system-types.js';

const DEFAULT_WITHIN_DAYS = 30;
const DEFAULT_FIRST = 50;
const DEFAULT_DOMAINS = 10;

@Resolver(() => SystemHealthType)
export class SystemResolver {
  constructor(private readonly services: Pick<GraphQLParts, 'system'>) {}

  @Query(() => SystemHealthType, { description: 'The health of the gateway. Admins only.' })
  async systemHealth(@Ctx() context: GraphQLContext): Promise<SystemHealthType> {
    requireRole(context, 'admin');
    return SystemHealthType.of(await context.heavyRead(() => this.services.system.health()));
  }

  @FieldResolver(() => [ExpiringCertificateType], {
    description:
      "The SSL certificates of customers' domains and of platform hosts that expire soon or have expired, in order of expiry, earliest first.",
  })
  async certificatesExpiring(
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
    @Ctx() { heavyRead }: GraphQLContext,
  ): Promise<ExpiringCertificateType[]> {
    const size = checkPageSize(first ?? DEFAULT_FIRST, 'first');
    return heavyRead(() =>
      this.services.system.certificatesExpiring(withinDays ?? DEFAULT_WITHIN_DAYS, size),
    );
  }

  @FieldResolver(() => [DomainNeedingActionType], {
    description: "Customers' domains that need somebody to act, in no particular order.",
  })
  async domainsNeedingAction(
    @Arg('first', () => Int, {
      nullable: true,
      defaultValue: DEFAULT_DOMAINS,
      description: `The maximum number of domains to return, 1 to 100. Defaults to ${DEFAULT_DOMAINS}.`,
    })
    first: number | null,
    @Ctx() { heavyRead }: GraphQLContext,
  ): Promise<DomainNeedingActionType[]> {
    const size = checkPageSize(first ?? DEFAULT_DOMAINS, 'first');
    return heavyRead(() => this.services.system.domainsNeedingAction(size));
  }
}

@Resolver(() => DomainNeedingActionType)
export class DomainNeedingActionResolver {
  @FieldResolver(() => ProjectType, {
    nullable: true,
    description: 'The project of the domain. Null if it was deleted.',
  })
  async project(
    @Root() { projectId }: DomainNeedingActionType,
    @Ctx() { loaders }: GraphQLContext,
  ): Promise<ProjectType | null> {
    const project = await loaders().project.load(projectId);
    return project === undefined ? null : ProjectType.of(project);
  }
}
