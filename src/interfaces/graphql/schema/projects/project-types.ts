import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Project, SiteAnimals } from '../../../../features/projects/project.js';
import type { PetsOfDeleted } from '../../../../features/projects/project-removals.js';
import type { ProjectsPage } from '../../../../features/projects/projects-store.js';
import { DEFAULT_PLAN, type PlanId } from '../../../../features/plans/plans.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { PetsOfDeletedEnum, PlanIdEnum, SiteAnimalsEnum } from '../enums.js';
import { PageInfoType } from '../paging.js';
import { CustomQuotaInput, CustomQuotaType, PLAN_TYPES, PlanType } from '../keys/quota-types.js';

@ObjectType('Project', {
  simpleResolvers: true,
  description: 'A consumer of the API. Its plan sets the quota of its keys, and it has a site.',
})
export class ProjectType {
  /** What the resolvers of its other fields read. */
  readonly project!: Project;

  @Field(() => ID, { description: 'The id of the project.' })
  id!: string;

  @Field(() => String, { description: 'The name of the project.' })
  name!: string;

  @Field(() => String, { description: "The first label of the project's platform host. It never changes." })
  slug!: string;

  @Field(() => PlanType, { description: 'The plan of the project.' })
  plan!: PlanType;

  @Field(() => CustomQuotaType, {
    nullable: true,
    description: 'The limits agreed for the project. Null unless it is on the enterprise plan.',
  })
  customQuota?: Project['customQuota'];

  @Field(() => DateTimeScalar, { description: 'When the project was created.' })
  createdAt!: Date;

  @Field(() => SiteAnimalsEnum, { description: "Which animals the project's site shows." })
  siteAnimals!: SiteAnimals;

  static of(project: Project): ProjectType {
    return { ...project, project, plan: PLAN_TYPES[project.plan], siteAnimals: project.siteAnimals ?? 'own' };
  }
}

@ObjectType('ProjectEdge', { simpleResolvers: true, description: 'A project and its cursor in the list.' })
export class ProjectEdgeType {
  @Field(() => ProjectType, { description: 'The project at this position.' })
  node!: ProjectType;

  @Field(() => String, {
    description: 'The cursor of the project in the list. Pass it as `after` to get the projects that follow.',
  })
  cursor!: string;
}

@ObjectType('ProjectConnection', { simpleResolvers: true, description: 'A page of projects, oldest first.' })
export class ProjectConnectionType {
  @Field(() => [ProjectEdgeType], { description: 'The projects of this page, oldest first.' })
  edges!: ProjectEdgeType[];

  @Field(() => PageInfoType, {
    description: 'Whether there are projects before and after this page, and the cursors to continue from.',
  })
  pageInfo!: PageInfoType;

  static of({ entries, hasMore }: ProjectsPage, hasPrevious: boolean): ProjectConnectionType {
    const edges = entries.map(({ project, cursor }) => ({ node: ProjectType.of(project), cursor }));
    return { edges, pageInfo: PageInfoType.of(edges, hasMore, hasPrevious) };
  }
}

@InputType({ description: 'Which projects to list. A project must match every condition that you set.' })
export class ProjectFilter {
  @Field(() => PlanIdEnum, {
    nullable: true,
    description: 'Only projects on this plan. If null or omitted, projects on any plan.',
  })
  plan?: PlanId | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Only projects whose name contains this text, ignoring case. If null or omitted, projects with any name.',
  })
  nameContains?: string | null;
}

@InputType({ description: 'The project to create.' })
export class CreateProjectInput {
  @Field(() => String, {
    description:
      "The name of the project, 1 to 100 characters. The gateway derives the host of the project's site from it.",
  })
  name!: string;

  @Field(() => PlanIdEnum, {
    nullable: true,
    description: `The plan of the project. Defaults to \`${DEFAULT_PLAN}\`.`,
  })
  plan?: PlanId | null;

  @Field(() => CustomQuotaInput, {
    nullable: true,
    description:
      'The limits of the project. Required on the enterprise plan; must be null or omitted on the other plans.',
  })
  customQuota?: CustomQuotaInput | null;
}

@InputType({ description: 'The properties of a project to change, at least one.' })
export class UpdateProjectInput {
  @Field(() => ID, { description: 'The id of the project to change.' })
  projectId!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "The new name, 1 to 100 characters. The host of the project's site does not change. If null or omitted, the name stays.",
  })
  name?: string | null;

  @Field(() => SiteAnimalsEnum, {
    nullable: true,
    description:
      "Which animals the project's site shows. If null or omitted, the setting stays. Stability: beta.",
  })
  siteAnimals?: SiteAnimals | null;
}

@InputType({ description: 'The new plan of a project. Usage that was already counted stays counted.' })
export class ChangePlanInput {
  @Field(() => ID, { description: 'The id of the project to change.' })
  projectId!: string;

  @Field(() => PlanIdEnum, { description: 'The new plan of the project.' })
  plan!: PlanId;

  @Field(() => CustomQuotaInput, {
    nullable: true,
    description:
      'The limits of the project. Required on the enterprise plan; must be null or omitted on the other plans.',
  })
  customQuota?: CustomQuotaInput | null;
}

@ObjectType({ simpleResolvers: true, description: 'The project that was created.' })
export class CreateProjectPayload {
  @Field(() => ProjectType, { description: 'The project, which has no keys yet.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'The project that was changed.' })
export class UpdateProjectPayload {
  @Field(() => ProjectType, { description: 'The project after the change.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'The project whose plan was changed.' })
export class ChangePlanPayload {
  @Field(() => ProjectType, { description: 'The project on its new plan.' })
  project!: ProjectType;
}

@InputType({ description: "A project to delete, with everything that belongs to it. You can't undo this." })
export class DeleteProjectInput {
  @Field(() => ID, { description: 'The id of the project to delete.' })
  projectId!: string;

  @Field(() => String, {
    description: 'The exact name of the project, so that a wrong id deletes nothing.',
  })
  name!: string;

  @Field(() => PetsOfDeletedEnum, {
    nullable: true,
    description: 'What becomes of the animals of the project. Defaults to `delete`.\nStability: beta.',
  })
  pets?: PetsOfDeleted | null;
}

@InputType({ description: 'A project whose animals are all removed.' })
export class DeleteProjectPetsInput {
  @Field(() => ID, { description: 'The id of the project whose animals to remove.' })
  projectId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of deleteProjectPets.' })
export class DeleteProjectPetsPayload {
  @Field(() => Int, {
    description:
      'The number of animals that this request removed. After a `service_unavailable`, it does not include those that earlier requests removed.',
  })
  deletedCount!: number;
}

@ObjectType({ simpleResolvers: true, description: 'The project that was deleted.' })
export class DeleteProjectPayload {
  @Field(() => ID, { description: 'The id of the deleted project.' })
  projectId!: string;
}
