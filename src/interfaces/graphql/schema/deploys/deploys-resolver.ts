import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { PAGE_SIZE, checkPageSize } from '../../../../lib/page-size.js';
import type { GraphQLParts } from '../../parts.js';
import { requireProjectAccess, requireProjectMember, type GraphQLContext } from '../context.js';
import { After, First } from '../paging.js';
import {
  CreateDeployInput,
  CreateDeployPayload,
  DeployConnectionType,
  DeployType,
  DeployUploadType,
  RollbackDeployInput,
  RollbackDeployPayload,
} from './deploy-types.js';
import { ProjectType } from '../projects/project-types.js';

@Resolver(() => ProjectType)
export class DeploysResolver {
  constructor(private readonly services: Pick<GraphQLParts, 'deploys' | 'projects' | 'administration'>) {}

  @FieldResolver(() => DeployConnectionType, {
    description: "The deploys of the project's site, newest first.",
  })
  async deploys(
    @Root() { project }: ProjectType,
    @First()
    first: number | null,
    @After()
    after: string | null,
    @Ctx() context: GraphQLContext,
  ): Promise<DeployConnectionType> {
    requireProjectAccess(context, project.id);
    const size = checkPageSize(first ?? PAGE_SIZE.default, 'first');
    const page = await context.heavyRead(() =>
      this.services.deploys.page(project.id, size, after ?? undefined),
    );
    return DeployConnectionType.of(page, after != null, project.liveDeployId);
  }

  @FieldResolver(() => DeployType, {
    nullable: true,
    description: "The deploy that visitors of the project's site see. Null before the first deploy.",
  })
  async liveDeploy(
    @Root() { project }: ProjectType,
    @Ctx() context: GraphQLContext,
  ): Promise<DeployType | null> {
    requireProjectMember(context, project.id);
    if (project.liveDeployId === undefined) return null;
    const live = await context.loaders().deploy.load(project.liveDeployId);
    return live === undefined ? null : DeployType.of(live, true);
  }

  @Mutation(() => CreateDeployPayload, {
    description:
      "Creates a deploy of a project's site. Available to admins, and to owners within their project.",
  })
  async createDeploy(
    @Arg('input', () => CreateDeployInput, { description: 'The project and the site to deploy.' })
    input: CreateDeployInput,
    @Ctx() context: GraphQLContext,
  ): Promise<CreateDeployPayload> {
    const { projectId, message, spa, template } = input;
    requireProjectAccess(context, projectId);
    const deploy = await this.services.administration(context.caller).createDeploy({
      projectId,
      message: message ?? undefined,
      spa: spa ?? undefined,
      template: template ?? undefined,
    });
    context.loaders().project.clear(projectId);
    context.loaders().site.clear(projectId);
    const awaitsUpload = deploy.state === 'awaiting_upload';
    return {
      deploy: DeployType.of(deploy, !awaitsUpload),
      ...(awaitsUpload && { upload: DeployUploadType.of(deploy) }),
    };
  }

  @Mutation(() => RollbackDeployPayload, {
    description:
      'Makes a stored deploy live, older or newer than the current one. Available to admins, and to owners within their project.',
  })
  async rollbackDeploy(
    @Arg('input', () => RollbackDeployInput, { description: 'The project and the deploy.' })
    input: RollbackDeployInput,
    @Ctx() context: GraphQLContext,
  ): Promise<RollbackDeployPayload> {
    const { projectId, deployId } = input;
    requireProjectAccess(context, projectId);
    const deploy = await this.services.administration(context.caller).rollbackDeploy(projectId, deployId);
    context.loaders().project.clear(projectId);
    context.loaders().site.clear(projectId);
    return {
      deploy: DeployType.of(deploy, true),
      project: ProjectType.of(await this.services.projects.get(projectId)),
    };
  }
}
