import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { MAX_ARCHIVE_BYTES } from '../../../../features/publishing/deploys/read-archive.js';
import type { Deploy, DeployState, SiteTemplate } from '../../../../features/publishing/deploys/deploy.js';
import { deployCursor } from '../../../../features/publishing/deploys/deploys-service.js';
import type { DeploysPage } from '../../../../features/publishing/deploys/deploys-store.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { DeployStateEnum, SiteTemplateEnum } from '../enums.js';
import { PageInfoType } from '../page-info.js';
import { ProjectType } from '../projects/project-types.js';

@ObjectType('Deploy', {
  simpleResolvers: true,
  description: "One version of a project's site. The newest ten that are ready are kept, and the live one.",
})
export class DeployType {
  constructor(
    private readonly deploy: Deploy,
    private readonly live: boolean,
  ) {}

  @Field(() => ID, { description: 'The id of the deploy.' })
  get id(): string {
    return this.deploy.id;
  }

  @Field(() => Int, {
    description: 'The number of the deploy within its project: 1 for the first, and one more for each.',
  })
  get number(): number {
    return this.deploy.number;
  }

  @Field(() => DeployStateEnum, { description: 'How far the deploy has got.' })
  get state(): DeployState {
    return this.deploy.state;
  }

  @Field(() => DateTimeScalar, { description: 'When the deploy was created.' })
  get createdAt(): Date {
    return this.deploy.createdAt;
  }

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the key that created the deploy; null: the command line.',
  })
  get createdByKeyId(): string | undefined {
    return this.deploy.createdBy.keyId;
  }

  @Field(() => String, { description: 'Who created the deploy: `owner`, `admin` or `command line`.' })
  get createdByRole(): string {
    return this.deploy.createdBy.role;
  }

  @Field(() => String, { nullable: true, description: 'What its author said of it; null: nothing.' })
  get message(): string | undefined {
    return this.deploy.message;
  }

  @Field(() => Int, { nullable: true, description: 'The number of its files; null until it is ready.' })
  get fileCount(): number | undefined {
    return this.deploy.fileCount;
  }

  @Field(() => Int, {
    nullable: true,
    description: 'The size of its files together, in bytes; null until it is ready.',
  })
  get sizeBytes(): number | undefined {
    return this.deploy.sizeBytes;
  }

  @Field(() => String, {
    nullable: true,
    description: 'Why the deploy failed, for people; null unless its state is `failed`.',
  })
  get problem(): string | undefined {
    return this.deploy.problem;
  }

  @Field(() => Boolean, { description: 'Whether visitors of the site get this deploy.' })
  get isLive(): boolean {
    return this.live;
  }
}

@ObjectType('DeployEdge', { simpleResolvers: true, description: 'A deploy at its place in the list.' })
export class DeployEdgeType {
  @Field(() => DeployType, { description: 'The deploy at this place.' })
  node!: DeployType;

  @Field(() => String, {
    description: 'The place of the deploy in the list: pass it as `after` for older ones.',
  })
  cursor!: string;
}

@ObjectType('DeployConnection', { simpleResolvers: true, description: 'A page of deploys, newest first.' })
export class DeployConnectionType {
  @Field(() => [DeployEdgeType], { description: 'The deploys of this page, newest first.' })
  edges!: DeployEdgeType[];

  @Field(() => PageInfoType, {
    description: 'Whether there are deploys before and after this page, and where to go on.',
  })
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
  @Field(() => String, { description: 'The name of the header.' })
  name!: string;

  @Field(() => String, { description: 'The value to send, as it stands.' })
  value!: string;
}

@ObjectType('DeployUpload', {
  simpleResolvers: true,
  description:
    'How to send the archive of a deploy, a tar.gz with an index.html at its top: one request, with the key of an owner of the project or of an admin in Authorization.',
})
export class DeployUploadType {
  @Field(() => String, { description: 'The HTTP method to send it with.' })
  method!: string;

  @Field(() => String, { description: 'The address to send it to, relative to that of this gateway.' })
  url!: string;

  @Field(() => [DeployUploadHeaderType], {
    description: 'The headers to send beside Authorization, in any order.',
  })
  headers!: DeployUploadHeaderType[];

  @Field(() => DateTimeScalar, {
    description: 'Until when the archive is taken; after it the deploy is `expired`.',
  })
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

@InputType({
  description:
    'The deploy to begin: a template that goes live at once, or one whose archive is sent afterwards.',
})
export class CreateDeployInput {
  @Field(() => ID, { description: 'The id of the project whose site it is.' })
  projectId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'What to say of the deploy, at most 200 characters. Null or left out: nothing.',
  })
  message?: string | null;

  @Field(() => SiteTemplateEnum, {
    nullable: true,
    description:
      'The built-in site to publish: it goes live at once, and nothing is uploaded. Null or left out: an archive is uploaded.',
  })
  template?: SiteTemplate | null;
}

@InputType({ description: 'The deploy that visitors are to get, back or forward.' })
export class RollbackDeployInput {
  @Field(() => ID, { description: 'The id of the project whose site it is.' })
  projectId!: string;

  @Field(() => ID, {
    description: 'The id of one of its deploys that is ready: an older one, or a newer one again.',
  })
  deployId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The deploy that was begun.' })
export class CreateDeployPayload {
  @Field(() => DeployType, {
    description: 'The deploy: `ready` and live with a template, else `awaiting_upload`.',
  })
  deploy!: DeployType;

  @Field(() => DeployUploadType, {
    nullable: true,
    description: 'How to send the archive of the deploy; null with a template.',
  })
  upload?: DeployUploadType | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'What is live after the change.' })
export class RollbackDeployPayload {
  @Field(() => DeployType, { description: 'The deploy that is live now.' })
  deploy!: DeployType;

  @Field(() => ProjectType, { description: 'The project whose site it is.' })
  project!: ProjectType;
}
