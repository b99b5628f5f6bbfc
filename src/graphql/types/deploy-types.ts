import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { MAX_ARCHIVE_BYTES } from '../../deploys/read-archive.js';
import type { Deploy, DeployState, SiteTemplate } from '../../deploys/deploy.js';
import { deployCursor } from '../../deploys/deploys-service.js';
import type { DeploysPage } from '../../deploys/deploys-store.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { DeployStateEnum, SiteTemplateEnum } from './enums.js';
import { PageInfoType } from './page-info.js';
import { ProjectType } from './project-types.js';

@ObjectType('Deploy', {
  simpleResolvers: true,
  description: "One version of a project's site. The newest ten that are ready are kept, and the live one.",
})
export class DeployType {
  constructor(
    private readonly deploy: Deploy,
    private readonly live: boolean,
  ) {}

  @Field(() => ID, { description: 'Its id.' })
  get id(): string {
    return this.deploy.id;
  }

  @Field(() => Int, { description: '1, 2, … within the project.' })
  get number(): number {
    return this.deploy.number;
  }

  @Field(() => DeployStateEnum, { description: 'How far it got.' })
  get state(): DeployState {
    return this.deploy.state;
  }

  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  get createdAt(): Date {
    return this.deploy.createdAt;
  }

  @Field(() => ID, { nullable: true, description: 'The key that created it; null: the command line.' })
  get createdByKeyId(): string | undefined {
    return this.deploy.createdBy.keyId;
  }

  @Field(() => String, { description: 'owner, admin, or command line.' })
  get createdByRole(): string {
    return this.deploy.createdBy.role;
  }

  @Field(() => String, { nullable: true, description: 'What its author said of it.' })
  get message(): string | undefined {
    return this.deploy.message;
  }

  @Field(() => Int, { nullable: true, description: 'Its files, once it is ready.' })
  get fileCount(): number | undefined {
    return this.deploy.fileCount;
  }

  @Field(() => Int, { nullable: true, description: 'The bytes of its files, once it is ready.' })
  get sizeBytes(): number | undefined {
    return this.deploy.sizeBytes;
  }

  @Field(() => String, { nullable: true, description: 'Why it failed.' })
  get problem(): string | undefined {
    return this.deploy.problem;
  }

  @Field(() => Boolean, { description: 'Whether it is what visitors of the site get.' })
  get isLive(): boolean {
    return this.live;
  }
}

@ObjectType('DeployEdge', { simpleResolvers: true, description: 'A deploy in a connection.' })
export class DeployEdgeType {
  @Field(() => DeployType, { description: 'The deploy.' })
  node!: DeployType;

  @Field(() => String, { description: 'Its place in the list.' })
  cursor!: string;
}

@ObjectType('DeployConnection', { simpleResolvers: true, description: 'A page of deploys, newest first.' })
export class DeployConnectionType {
  @Field(() => [DeployEdgeType], { description: 'The deploys of this page.' })
  edges!: DeployEdgeType[];

  @Field(() => PageInfoType, { description: 'What lies before and after this page.' })
  pageInfo!: PageInfoType;

  static of(
    { deploys, hasMore }: DeploysPage,
    hasPrevious: boolean,
    liveDeployId: string | undefined,
  ): DeployConnectionType {
    const edges = deploys.map((deploy) => ({
      node: new DeployType(deploy, deploy.id === liveDeployId),
      cursor: deployCursor(deploy),
    }));
    return { edges, pageInfo: PageInfoType.of(edges, hasMore, hasPrevious) };
  }
}

@ObjectType('DeployUploadHeader', { simpleResolvers: true, description: 'A header to send with an upload.' })
export class DeployUploadHeaderType {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => String, { description: 'Its value.' })
  value!: string;
}

@ObjectType('DeployUpload', {
  simpleResolvers: true,
  description:
    'How to send the archive of a deploy, a tar.gz with an index.html at its top: one request, with the key of an owner of the project or an admin in Authorization.',
})
export class DeployUploadType {
  @Field(() => String, { description: 'The HTTP method.' })
  method!: string;

  @Field(() => String, { description: 'Where to, relative to the address of this gateway.' })
  url!: string;

  @Field(() => [DeployUploadHeaderType], { description: 'What to send beside Authorization.' })
  headers!: DeployUploadHeaderType[];

  @Field(() => DateTimeScalar, { description: 'Until when it is taken.' })
  expiresAt!: Date;

  @Field(() => Int, { description: 'The most bytes that the archive may have, compressed.' })
  maxBytes!: number;

  static of({ id, uploadExpiresAt }: Deploy): DeployUploadType {
    return {
      method: 'PUT',
      url: `/deploys/${id}/archive`,
      headers: [{ name: 'Content-Type', value: 'application/gzip' }],
      expiresAt: uploadExpiresAt,
      maxBytes: MAX_ARCHIVE_BYTES,
    };
  }
}

@InputType({ description: 'A deploy to create.' })
export class CreateDeployInput {
  @Field(() => ID, { description: 'The project whose site it is.' })
  projectId!: string;

  @Field(() => String, { nullable: true, description: 'What to say of it, at most 200 characters.' })
  message?: string | null;

  @Field(() => SiteTemplateEnum, {
    nullable: true,
    description: 'A built-in site: it goes live at once, nothing is uploaded.',
  })
  template?: SiteTemplate | null;
}

@InputType({ description: 'A deploy to make live that was live before.' })
export class RollbackDeployInput {
  @Field(() => ID, { description: 'The project.' })
  projectId!: string;

  @Field(() => ID, { description: 'One of its deploys that is ready: an older one, or a newer one again.' })
  deployId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The created deploy.' })
export class CreateDeployPayload {
  @Field(() => DeployType, { description: 'The deploy.' })
  deploy!: DeployType;

  @Field(() => DeployUploadType, {
    nullable: true,
    description: 'How to send its archive; null with a template.',
  })
  upload?: DeployUploadType | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'The deploy that is live now.' })
export class RollbackDeployPayload {
  @Field(() => DeployType, { description: 'The deploy.' })
  deploy!: DeployType;

  @Field(() => ProjectType, { description: 'Its project.' })
  project!: ProjectType;
}
