import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { AuditStore } from '../../../../features/audit/audit-store.js';
import { badCursor } from '../../../../lib/cursor.js';
import { checkPageSize, PAGE_SIZE } from '../../../../features/pets/page.js';
import type { ApiKeyTypes } from '../keys/api-key-page.js';
import { mayReachKey, requireProjectAccess, requireRole, type GraphQLContext } from '../context.js';
import { After, First, PageInfoType } from '../paging.js';
import { ApiKeyType } from '../keys/api-key-types.js';
import { AuditConnectionType, AuditRecordType } from './audit-types.js';
import { ProjectType } from '../projects/project-types.js';

@Resolver(() => AuditRecordType)
export class AuditResolver {
  constructor(
    private readonly audit: AuditStore,
    private readonly toType: ApiKeyTypes,
  ) {}

  @Query(() => AuditConnectionType, {
    description:
      'The audit log: who changed what, newest first. Owners see changes within their project, admins all changes.',
  })
  async auditLog(
    @First()
    first: number | null,
    @After()
    after: string | null,
    @Arg('projectId', () => ID, {
      nullable: true,
      description:
        'Only changes within the project with this id. If null or omitted: for an owner, its own project; for an admin, all changes.',
    })
    projectId: string | null,
    @Arg('apiKeyId', () => ID, {
      nullable: true,
      description:
        'Only changes to the key with this id. If null or omitted, all changes, including those that are not about a key.',
    })
    apiKeyId: string | null,
    @Arg('actorKeyId', () => ID, {
      nullable: true,
      description:
        'Only changes made with the key with this id. If null or omitted, changes made with any key or without a key.',
    })
    actorKeyId: string | null,
    @Ctx() context: GraphQLContext,
  ): Promise<AuditConnectionType> {
    requireRole(context, 'owner', 'admin');
    const { key, project } = context.caller;
    const scope = projectId ?? (key.role === 'admin' ? undefined : project?.id);
    if (scope !== undefined) requireProjectAccess(context, scope);
    if (after != null && !/^[0-9a-f]{24}$/.test(after)) throw badCursor();
    const { records, hasMore } = await this.audit.list({
      first: checkPageSize(first ?? PAGE_SIZE.default, 'first'),
      ...(after != null && { beforeId: after }),
      target: { projectId: scope, apiKeyId: apiKeyId ?? undefined },
      actorKeyId: actorKeyId ?? undefined,
    });
    const edges = records.map((record) => ({ node: new AuditRecordType(record), cursor: record.id }));
    return { edges, pageInfo: PageInfoType.of(edges, hasMore, after != null) };
  }

  @FieldResolver(() => ApiKeyType, {
    nullable: true,
    description:
      'The key that made the change. Null if the command line or the gateway made it, or if the caller may not see the key.',
  })
  actorKey(@Root() { record }: AuditRecordType, @Ctx() context: GraphQLContext): Promise<ApiKeyType | null> {
    return this.keyOf(record.actor.keyId, context);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The operating system user and the machine that ran the command line, such as `alice@web-1`. Null if the change was not made at the command line. Always null for owners, because the machines are the operator's.",
  })
  actorSystemUser(
    @Root() { record }: AuditRecordType,
    @Ctx() { caller }: GraphQLContext,
  ): string | null | undefined {
    return caller.key.role === 'admin' ? record.actor.systemUser : null;
  }

  @FieldResolver(() => ApiKeyType, {
    nullable: true,
    description:
      'The key that was changed. Null if the change is not about a key, or if the caller may not see the key.',
  })
  apiKey(@Root() { record }: AuditRecordType, @Ctx() context: GraphQLContext): Promise<ApiKeyType | null> {
    return this.keyOf(record.target.apiKeyId, context);
  }

  @FieldResolver(() => ProjectType, {
    nullable: true,
    description:
      'The project that was changed, or that the changed object belongs to. Null if there is none.',
  })
  async project(
    @Root() { record: { target } }: AuditRecordType,
    @Ctx() { loaders }: GraphQLContext,
  ): Promise<ProjectType | null> {
    const project = target.projectId === undefined ? undefined : await loaders.project.load(target.projectId);
    return project === undefined ? null : new ProjectType(project);
  }

  private async keyOf(id: string | undefined, context: GraphQLContext): Promise<ApiKeyType | null> {
    const key = id === undefined ? undefined : await context.loaders.apiKey.load(id);
    return key !== undefined && mayReachKey(context, key) ? this.toType(key) : null;
  }
}
