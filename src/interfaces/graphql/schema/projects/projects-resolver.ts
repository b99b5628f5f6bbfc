import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { PAGE_SIZE, checkPageSize } from '../../../../lib/page-size.js';
import type { GraphQLParts } from '../../parts.js';
import {
  requireNotBrowser,
  requireProjectAccess,
  requireProjectMember,
  requireRole,
  type GraphQLContext,
} from '../context.js';
import { After, First } from '../paging.js';
import { ApiKeyConnectionType } from '../keys/api-key-types.js';
import {
  ChangePlanInput,
  ChangePlanPayload,
  CreateProjectInput,
  CreateProjectPayload,
  DeleteProjectInput,
  DeleteProjectPetsInput,
  DeleteProjectPetsPayload,
  DeleteProjectPayload,
  ProjectConnectionType,
  ProjectFilter,
  ProjectType,
  UpdateProjectInput,
  UpdateProjectPayload,
} from './project-types.js';
import { PLAN_TYPES, PlanType } from '../keys/quota-types.js';
import { Facts, SHORT_LIST } from '../../field-facts.js';

@Resolver(() => ProjectType)
export class ProjectsResolver {
  constructor(
    private readonly services: Pick<
      GraphQLParts,
      'projects' | 'pets' | 'apiKeys' | 'administration' | 'clock'
    >,
  ) {}

  @Facts(SHORT_LIST)
  @Query(() => [PlanType], { description: 'The plans, in the order of their limits, smallest first.' })
  plans(@Ctx() context: GraphQLContext): PlanType[] {
    requireNotBrowser(context);
    return Object.values(PLAN_TYPES);
  }

  @Query(() => ProjectType, {
    nullable: true,
    description:
      'One project. Staff and owners see their own project, admins all projects. Null if no project has this id. Some fields are available to owners and admins only.',
  })
  async project(
    @Arg('id', () => ID, { description: 'The id of the project.' }) id: string,
    @Ctx() context: GraphQLContext,
  ): Promise<ProjectType | null> {
    requireProjectMember(context, id);
    const project = await context.loaders().project.load(id);
    return project === undefined ? null : ProjectType.of(project);
  }

  @Query(() => ProjectConnectionType, {
    description: 'All projects, oldest first, in pages. Admins only.',
  })
  async projects(
    @First()
    first: number | null,
    @After()
    after: string | null,
    @Arg('filter', () => ProjectFilter, {
      nullable: true,
      description: 'Which projects to list. If null or omitted, all projects.',
    })
    filter: ProjectFilter | null,
    @Ctx() context: GraphQLContext,
  ): Promise<ProjectConnectionType> {
    requireRole(context, 'admin');
    const query = {
      first: checkPageSize(first ?? PAGE_SIZE.default, 'first'),
      after: after ?? undefined,
      filter: { plan: filter?.plan ?? undefined, nameContains: filter?.nameContains ?? undefined },
    };
    const page = await context.heavyRead(() => this.services.projects.page(query));
    return ProjectConnectionType.of(page, after != null);
  }

  @FieldResolver(() => ApiKeyConnectionType, { description: 'The keys of the project, oldest first.' })
  async apiKeys(
    @Root() { project }: ProjectType,
    @First()
    first: number | null,
    @After()
    after: string | null,
    @Ctx() context: GraphQLContext,
  ): Promise<ApiKeyConnectionType> {
    requireProjectAccess(context, project.id);
    const page = await context.loaders().keysOfProject.load({
      projectId: project.id,
      first: checkPageSize(first ?? PAGE_SIZE.default, 'first'),
      after: after ?? undefined,
    });
    return ApiKeyConnectionType.of(page, after != null, this.services.clock);
  }

  @FieldResolver(() => Int, {
    description:
      'The number of keys of the project that are neither revoked nor expired. Disabled keys count. You can create a key while the number is below `plan.maxApiKeys`.',
  })
  activeApiKeys(@Root() { project }: ProjectType, @Ctx() context: GraphQLContext): Promise<number> {
    requireProjectAccess(context, project.id);
    return context.loaders().activeApiKeys.load(project.id);
  }

  @FieldResolver(() => Boolean, { description: 'Whether any animal belongs to the project.' })
  async hasPets(@Root() { project }: ProjectType, @Ctx() context: GraphQLContext): Promise<boolean> {
    requireProjectAccess(context, project.id);
    const { pets } = await this.services.pets.list({ limit: 1, projectId: project.id });
    return pets.length > 0;
  }

  @Mutation(() => CreateProjectPayload, { description: 'Creates a project. Admins only.' })
  async createProject(
    @Arg('input', () => CreateProjectInput, { description: 'The properties of the new project.' })
    input: CreateProjectInput,
    @Ctx() context: GraphQLContext,
  ): Promise<CreateProjectPayload> {
    requireRole(context, 'admin');
    const { name, plan, customQuota } = input;
    const project = await this.services
      .administration(context.caller)
      .createProject({ name, plan: plan ?? undefined, customQuota: customQuota ?? undefined });
    return { project: ProjectType.of(project) };
  }

  @Mutation(() => UpdateProjectPayload, {
    description:
      'Changes the name of a project, or which animals its site shows. Available to admins, and to owners for their project.',
  })
  async updateProject(
    @Arg('input', () => UpdateProjectInput, { description: 'The project, and what to change.' })
    { projectId, name, siteAnimals }: UpdateProjectInput,
    @Ctx() context: GraphQLContext,
  ): Promise<UpdateProjectPayload> {
    requireProjectAccess(context, projectId);
    const project = await this.services.administration(context.caller).updateProject(projectId, {
      ...(name != null && { name }),
      ...(siteAnimals != null && { siteAnimals }),
    });
    context.loaders().project.clear(projectId);
    context.loaders().site.clear(projectId);
    return { project: ProjectType.of(project) };
  }

  @Mutation(() => ChangePlanPayload, {
    description: "Changes a project's plan and custom quota. Admins only.",
  })
  async changePlan(
    @Arg('input', () => ChangePlanInput, { description: 'The project and its new plan.' })
    input: ChangePlanInput,
    @Ctx() context: GraphQLContext,
  ): Promise<ChangePlanPayload> {
    requireRole(context, 'admin');
    const { projectId, plan, customQuota } = input;
    const project = await this.services
      .administration(context.caller)
      .changePlan(projectId, plan, customQuota ?? undefined);
    context.loaders().project.clear(projectId);
    context.loaders().site.clear(projectId);
    return { project: ProjectType.of(project) };
  }

  @Mutation(() => DeleteProjectPayload, {
    description:
      'Deletes a project permanently, with everything that belongs to it. Its keys no longer work, and the gateway no longer serves its site and domains. Admins only.',
  })
  async deleteProject(
    @Arg('input', () => DeleteProjectInput, {
      description: 'The project, identified by its id and its name.',
    })
    { projectId, name, pets }: DeleteProjectInput,
    @Ctx() context: GraphQLContext,
  ): Promise<DeleteProjectPayload> {
    requireRole(context, 'admin');
    await this.services.administration(context.caller).deleteProject(projectId, name, pets ?? undefined);
    context.loaders().project.clear(projectId);
    context.loaders().site.clear(projectId);
    return { projectId };
  }

  @Facts({ isAboutPets: true })
  @Mutation(() => DeleteProjectPetsPayload, {
    description:
      'Removes all animals that a project has when the request arrives. An animal that is added during the request can be removed too, or stay. If one request does not suffice, the error is `service_unavailable`: repeat the request to remove the rest. Admins only.',
  })
  async deleteProjectPets(
    @Arg('input', () => DeleteProjectPetsInput, { description: 'The project to empty.' })
    { projectId }: DeleteProjectPetsInput,
    @Ctx() context: GraphQLContext,
  ): Promise<DeleteProjectPetsPayload> {
    requireRole(context, 'admin');
    return { deletedCount: await this.services.administration(context.caller).deletePetsOf(projectId) };
  }
}
