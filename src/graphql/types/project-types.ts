import { Field, ID, InputType, ObjectType } from 'type-graphql';
import type { Project } from '../../projects/project.js';
import type { ProjectsPage } from '../../projects/projects-store.js';
import { PLANS, type PlanId } from '../../quotas/plans.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { PlanIdEnum } from './enums.js';
import { PageInfoType } from './page-info.js';
import { CustomQuotaInput, CustomQuotaType, PlanType } from './quota-types.js';

@ObjectType('Project', {
  simpleResolvers: true,
  description: 'A consumer of the API: it decides the quota of its keys, and its site.',
})
export class ProjectType {
  constructor(readonly project: Project) {}

  @Field(() => ID, { description: 'Its id.' })
  get id(): string {
    return this.project.id;
  }

  @Field(() => String, { description: 'Its name.' })
  get name(): string {
    return this.project.name;
  }

  @Field(() => String, {
    nullable: true,
    description:
      'The label of its platform host, for good. Null only where an older gateway made the project, until the next start.',
  })
  get slug(): string | undefined {
    return this.project.slug;
  }

  @Field(() => PlanType, { description: 'Its plan.' })
  get plan(): PlanType {
    return PLANS[this.project.plan];
  }

  @Field(() => CustomQuotaType, { nullable: true, description: 'Set on the enterprise plan.' })
  get customQuota(): CustomQuotaType | undefined {
    return this.project.customQuota;
  }

  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  get createdAt(): Date {
    return this.project.createdAt;
  }
}

@ObjectType('ProjectEdge', { simpleResolvers: true, description: 'A project in a connection.' })
export class ProjectEdgeType {
  @Field(() => ProjectType, { description: 'The project.' })
  node!: ProjectType;

  @Field(() => String, { description: 'Its place in the list.' })
  cursor!: string;
}

@ObjectType('ProjectConnection', { simpleResolvers: true, description: 'A page of projects, oldest first.' })
export class ProjectConnectionType {
  @Field(() => [ProjectEdgeType], { description: 'The projects of this page.' })
  edges!: ProjectEdgeType[];

  @Field(() => PageInfoType, { description: 'What lies before and after this page.' })
  pageInfo!: PageInfoType;

  static of({ entries, hasMore }: ProjectsPage, hasPrevious: boolean): ProjectConnectionType {
    const edges = entries.map(({ project, cursor }) => ({ node: new ProjectType(project), cursor }));
    return { edges, pageInfo: PageInfoType.of(edges, hasMore, hasPrevious) };
  }
}

@InputType({ description: 'Which projects to list; what is left out does not matter.' })
export class ProjectFilter {
  @Field(() => PlanIdEnum, { nullable: true, description: 'On this plan.' })
  plan?: PlanId | null;

  @Field(() => String, { nullable: true, description: 'With this in the name, in any case.' })
  nameContains?: string | null;
}

@InputType({ description: 'A project to create.' })
export class CreateProjectInput {
  @Field(() => String, { description: '1 to 100 characters.' })
  name!: string;

  @Field(() => PlanIdEnum, { nullable: true, description: 'Defaults to free.' })
  plan?: PlanId | null;

  @Field(() => CustomQuotaInput, {
    nullable: true,
    description: 'Required on enterprise, refused elsewhere.',
  })
  customQuota?: CustomQuotaInput | null;
}

@InputType({ description: "A change of a project's plan; what was counted stays counted." })
export class ChangePlanInput {
  @Field(() => ID, { description: 'The project.' })
  projectId!: string;

  @Field(() => PlanIdEnum, { description: 'Its new plan.' })
  plan!: PlanId;

  @Field(() => CustomQuotaInput, {
    nullable: true,
    description: 'Required on enterprise, refused elsewhere.',
  })
  customQuota?: CustomQuotaInput | null;
}

@ObjectType({ simpleResolvers: true, description: 'The created project.' })
export class CreateProjectPayload {
  @Field(() => ProjectType, { description: 'The project.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'The project on its new plan.' })
export class ChangePlanPayload {
  @Field(() => ProjectType, { description: 'The project.' })
  project!: ProjectType;
}

@InputType({ description: 'A project to delete, with everything that it has. This cannot be taken back.' })
export class DeleteProjectInput {
  @Field(() => ID, { description: 'The project.' })
  projectId!: string;

  @Field(() => String, { description: 'Its name, exactly: so that a wrong id deletes nothing.' })
  name!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What was deleted.' })
export class DeleteProjectPayload {
  @Field(() => ID, { description: 'The project that is no more.' })
  projectId!: string;
}
