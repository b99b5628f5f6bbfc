import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { MAX_ARCHIVE_BYTES } from '../../../../features/publishing/deploys/read-archive.js';
import type { Deploy, DeployState, SiteTemplate } from '../../../../features/publishing/deploys/deploy.js';
import { deployCursor } from '../../../../features/publishing/deploys/deploys-service.js';
import type { FileChange, FileChanges } from '../../../../features/publishing/deploys/compare-files.js';
import type { DeploysPage } from '../../../../features/publishing/deploys/deploys-store.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { DeployStateEnum, FileChangeEnum, SiteTemplateEnum } from '../enums.js';
import { PageInfoType } from '../paging.js';
import { ProjectType } from '../projects/project-types.js';
import { Facts, SHORT_LIST } from '../../field-facts.js';

@ObjectType('Deploy', {
  simpleResolvers: true,
  description:
    "One version of a project's site. The gateway keeps the ten newest deploys that are ready, and the live deploy.",
})
export class DeployType {
  /** What the resolvers of its other fields read. */
  readonly deploy!: Deploy;

  @Field(() => ID, { description: 'The id of the deploy.' })
  id!: string;

  @Field(() => Int, {
    description: 'The number of the deploy within its project: 1 for the first deploy, then counting up.',
  })
  number!: number;

  @Field(() => DeployStateEnum, { description: 'The status of the deploy.' })
  state!: DeployState;

  @Field(() => DateTimeScalar, { description: 'When the deploy was created.' })
  createdAt!: Date;

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the key that created the deploy. Null if the command line created it.',
  })
  createdByKeyId!: string | undefined;

  @Field(() => String, { description: 'Who created the deploy: `owner`, `admin` or `command line`.' })
  createdByRole!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The message that the author gave the deploy, or null if there is none.',
  })
  message?: Deploy['message'];

  @Field(() => Boolean, {
    description:
      'Whether the site is a single-page application: pages whose address has no file show `index.html`.',
  })
  spa!: boolean;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of files in the deploy, or null until it is ready.',
  })
  fileCount?: Deploy['fileCount'];

  @Field(() => Int, {
    nullable: true,
    description: 'The total size of the files in bytes, or null until the deploy is ready.',
  })
  sizeBytes?: Deploy['sizeBytes'];

  @Field(() => String, {
    nullable: true,
    description: 'Why the deploy failed, in words for people. Null unless the state is `failed`.',
  })
  problem?: Deploy['problem'];

  @Field(() => String, {
    nullable: true,
    description:
      'Why the upload did not make this deploy live, in words for people: a newer deploy was live, or the site was rolled back after this deploy was created. Null for other deploys, and after a rollback to this deploy.',
  })
  notLiveReason?: Deploy['notLiveReason'];

  @Field(() => Boolean, { description: 'Whether this deploy is the one that visitors of the site see.' })
  isLive!: boolean;

  static of(deploy: Deploy, isLive: boolean): DeployType {
    const { keyId, role } = deploy.createdBy;
    return { ...deploy, deploy, createdByKeyId: keyId, createdByRole: role, isLive };
  }
}

@ObjectType('ChangedFile', { simpleResolvers: true, description: 'A file that differs between two deploys.' })
export class ChangedFileType {
  @Field(() => String, { description: 'The path of the file in the site.' })
  path!: string;

  @Field(() => FileChangeEnum, { description: 'How the file differs.' })
  change!: FileChange;
}

/** How many files of a comparison a response names. */
const MOST_NAMED = 50;

@ObjectType('DeployChanges', {
  simpleResolvers: true,
  description: 'The files that differ between two deploys, by their bytes.',
})
export class DeployChangesType {
  @Field(() => Int, { description: 'The number of files that only the later deploy has.' })
  added!: number;

  @Field(() => Int, { description: 'The number of files that both deploys have, with different bytes.' })
  changed!: number;

  @Field(() => Int, { description: 'The number of files that only the earlier deploy has.' })
  removed!: number;

  @Facts({ weight: { mostItems: MOST_NAMED, areNodes: false } })
  @Field(() => [ChangedFileType], {
    description: `The first ${MOST_NAMED} of these files: added, changed, then removed, each in the order of the paths.`,
  })
  files!: ChangedFileType[];

  static of(changes: FileChanges): DeployChangesType {
    const files = (['added', 'changed', 'removed'] as const).flatMap((change) =>
      changes[change].map((path) => ({ path, change })),
    );
    return {
      added: changes.added.length,
      changed: changes.changed.length,
      removed: changes.removed.length,
      files: files.slice(0, MOST_NAMED),
    };
  }
}

@ObjectType('DeployEdge', { simpleResolvers: true, description: 'A deploy and its cursor in the list.' })
export class DeployEdgeType {
  @Field(() => DeployType, { description: 'The deploy at this position.' })
  node!: DeployType;

  @Field(() => String, {
    description: 'The cursor of the deploy. Pass it as `after` to get older deploys.',
  })
  cursor!: string;
}

@ObjectType('DeployConnection', { simpleResolvers: true, description: 'A page of deploys, newest first.' })
export class DeployConnectionType {
  @Field(() => [DeployEdgeType], { description: 'The deploys of this page, newest first.' })
  edges!: DeployEdgeType[];

  @Field(() => PageInfoType, {
    description: 'Whether there are deploys before and after this page, and the cursors to continue from.',
  })
  pageInfo!: PageInfoType;

  static of(
    { deploys, hasMore }: DeploysPage,
    hasPrevious: boolean,
    liveDeployId: string | undefined,
  ): DeployConnectionType {
    const edges = deploys.map((deploy) => ({
      node: DeployType.of(deploy, deploy.id === liveDeployId),
      cursor: deployCursor(deploy),
    }));
    return { edges, pageInfo: PageInfoType.of(edges, hasMore, hasPrevious) };
  }
}

@ObjectType('DeployUploadHeader', { simpleResolvers: true, description: 'A header to send with the upload.' })
export class DeployUploadHeaderType {
  @Field(() => String, { description: 'The name of the header.' })
  name!: string;

  @Field(() => String, { description: 'The value to send, unchanged.' })
  value!: string;
}

@ObjectType('DeployUpload', {
  simpleResolvers: true,
  description:
    'How to upload the archive of a deploy, a tar.gz file with an index.html at its top level. Send it in one request, with the key of an owner of the project or of an admin in the Authorization header.',
})
export class DeployUploadType {
  @Field(() => String, { description: 'The HTTP method of the upload request.' })
  method!: string;

  @Field(() => String, { description: 'The URL to upload to, relative to the URL of this gateway.' })
  url!: string;

  @Facts(SHORT_LIST)
  @Field(() => [DeployUploadHeaderType], {
    description: 'The headers to send in addition to Authorization, in any order.',
  })
  headers!: DeployUploadHeaderType[];

  @Field(() => DateTimeScalar, {
    description: 'The deadline for the upload. After it, the deploy is `expired`.',
  })
  expiresAt!: Date;

  @Field(() => Int, { description: 'The maximum size of the compressed archive, in bytes.' })
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
    'The deploy to create: from a template, which goes live immediately, or from an archive that you upload afterwards.',
})
export class CreateDeployInput {
  @Field(() => ID, { description: 'The id of the project that the site belongs to.' })
  projectId!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'A message about the deploy, at most 200 characters. If null or omitted, the deploy has no message.',
  })
  message?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the site is a single-page application. Browsers that open an address without a file and without an extension then get `index.html` in place of the 404 page. If null or omitted, false.',
  })
  spa?: boolean | null;

  @Field(() => SiteTemplateEnum, {
    nullable: true,
    description:
      'The built-in site to publish. It goes live immediately, without an upload. If null or omitted, you upload an archive.',
  })
  template?: SiteTemplate | null;
}

@InputType({ description: 'The deploy to make live, older or newer than the current one.' })
export class RollbackDeployInput {
  @Field(() => ID, { description: 'The id of the project that the site belongs to.' })
  projectId!: string;

  @Field(() => ID, {
    description:
      'The id of a deploy of the project that is ready. It can be older or newer than the live deploy.',
  })
  deployId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The deploy that was created.' })
export class CreateDeployPayload {
  @Field(() => DeployType, {
    description: 'The deploy. With a template, it is `ready` and live; otherwise it is `awaiting_upload`.',
  })
  deploy!: DeployType;

  @Field(() => DeployUploadType, {
    nullable: true,
    description: 'How to upload the archive of the deploy. Null with a template.',
  })
  upload?: DeployUploadType | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'The live deploy after the change.' })
export class RollbackDeployPayload {
  @Field(() => DeployType, { description: 'The deploy that is live now.' })
  deploy!: DeployType;

  @Field(() => ProjectType, { description: 'The project that the site belongs to.' })
  project!: ProjectType;
}
