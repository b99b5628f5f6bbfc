import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../context.js';
import { DeployChangesType, DeployType } from './deploy-types.js';
import { Facts } from '../../field-facts.js';

/** The access check is that of the field that leads to the deploy. */
@Resolver(() => DeployType)
export class DeployChangesResolver {
  // Compares the files of two deploys.
  @Facts({ weight: { mostItems: 45, areNodes: true } })
  @FieldResolver(() => DeployChangesType, {
    nullable: true,
    description:
      'What changed since the ready deploy before this one. Null unless this deploy is ready and an earlier one is stored.',
  })
  async changes(
    @Root() { deploy }: DeployType,
    @Ctx() context: GraphQLContext,
  ): Promise<DeployChangesType | null> {
    if (deploy.state !== 'ready') return null;
    const earlier = await context.loaders().deployBefore.load(deploy);
    return compare(earlier?.id, deploy.id, context);
  }

  // Compares the files of two deploys.
  @Facts({ weight: { mostItems: 45, areNodes: true } })
  @FieldResolver(() => DeployChangesType, {
    nullable: true,
    description:
      'What would change for visitors if this deploy went live: compared to the live deploy. Null for the live deploy, unless this deploy is ready, and if none is live.',
  })
  async changesFromLive(
    @Root() { deploy, isLive }: DeployType,
    @Ctx() context: GraphQLContext,
  ): Promise<DeployChangesType | null> {
    if (deploy.state !== 'ready' || isLive) return null;
    const project = await context.loaders().project.load(deploy.projectId);
    return compare(project?.liveDeployId, deploy.id, context);
  }
}

async function compare(
  before: string | undefined,
  after: string,
  { loaders }: GraphQLContext,
): Promise<DeployChangesType | null> {
  if (before === undefined) return null;
  const changes = await loaders().deployChanges.load({ before, after });
  return changes === undefined ? null : DeployChangesType.of(changes);
}
