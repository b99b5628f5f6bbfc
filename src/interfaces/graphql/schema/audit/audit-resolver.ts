import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { ACTOR_ROLES, AUDIT_ACTIONS } from '../../../../features/audit/audit-record.js';
import { CONFIGURED_ADMIN_KEY_ID } from '../../../../features/keys/authenticator.js';
import { invalidRequest } from '../../../../lib/errors.js';
import { badCursor } from '../../../../lib/cursor.js';
import { checkPageSize, PAGE_SIZE } from '../../../../lib/page-size.js';
import type { GraphQLParts } from '../../parts.js';
import { mayReachKey, requireProjectAccess, requireRole, type GraphQLContext } from '../context.js';
import { After, First, PageInfoType } from '../paging.js';
import { ApiKeyType } from '../keys/api-key-types.js';
import { AuditConnectionType, AuditLogFilter, AuditRecordType } from './audit-types.js';
import { ProjectType } from '../projects/project-types.js';

@Resolver(() => AuditRecordType)
export class AuditResolver {
  constructor(private readonly services: Pick<GraphQLParts, 'audit' | 'clock'>) {}

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
    @Arg('filter', () => AuditLogFilter, {
      nullable: true,
      description: 'Which of these changes to return. If null or omitted, all of them.',
    })
    filter: AuditLogFilter | null,
    @Ctx() context: GraphQLContext,
  ): Promise<AuditConnectionType> {
    requireRole(context, 'owner', 'admin');
    const { key, project } = context.caller;
    const scope = projectId ?? (key.role === 'admin' ? undefined : project?.id);
    if (scope !== undefined) requireProjectAccess(context, scope);
    if (after != null && !/^[0-9a-f]{24}$/.test(after)) throw badCursor();
    const query = {
      first: checkPageSize(first ?? PAGE_SIZE.default, 'first'),
      ...(after != null && { beforeId: after }),
      target: { projectId: scope, apiKeyId: apiKeyId ?? undefined },
      actorKeyId: actorKeyId ?? undefined,
      action: oneOf(AUDIT_ACTIONS, filter?.action, 'filter.action'),
      actorRole: oneOf(ACTOR_ROLES, filter?.actorRole, 'filter.actorRole'),
      from: filter?.from ?? undefined,
      to: filter?.to ?? undefined,
    };
    const { records, hasMore } = await context.heavyRead(() => this.services.audit.list(query));
    const edges = records.map((record) => ({ node: AuditRecordType.of(record), cursor: record.id }));
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
      'The operating system user and the machine that ran the command line, such as `alice@web-1`. Null if the change was not made at the command line. Always null for owners: only admins see who used which machine.',
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
    const project =
      target.projectId === undefined ? undefined : await loaders().project.load(target.projectId);
    return project === undefined ? null : ProjectType.of(project);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The name of the key that made the change. A key that no longer exists has the last name in the audit log. Null if the command line or the gateway made the change, if the caller may not see the key, or if no name is known.',
  })
  async actorName(
    @Root() { record: { actor } }: AuditRecordType,
    @Ctx() context: GraphQLContext,
  ): Promise<string | null> {
    return this.nameOfKey(actor.keyId, context, actor.role === 'owner');
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The name of the key that was changed. A key that no longer exists has the last name in the audit log. Null if the change is not about a key, if the caller may not see the key, or if no name is known.',
  })
  async apiKeyName(
    @Root() { record: { target } }: AuditRecordType,
    @Ctx() context: GraphQLContext,
  ): Promise<string | null> {
    return this.nameOfKey(target.apiKeyId, context, target.projectId !== undefined);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The name of the project that was changed, or that the changed object belongs to. A project that no longer exists has the last name in the audit log. Null if there is no project, or if no name is known.',
  })
  async projectName(
    @Root() { record: { target } }: AuditRecordType,
    @Ctx() { loaders }: GraphQLContext,
  ): Promise<string | null> {
    if (target.projectId === undefined) return null;
    const project = await loaders().project.load(target.projectId);
    return project?.name ?? (await loaders().auditName.load(target.projectId)) ?? null;
  }

  /** @param isOfProject whether a key that no longer exists belonged to the project of the record */
  private async nameOfKey(
    id: string | undefined,
    context: GraphQLContext,
    isOfProject: boolean,
  ): Promise<string | null> {
    if (id === undefined) return null;
    const { loaders, caller } = context;
    const isAdmin = caller.key.role === 'admin';
    const key = await loaders().apiKey.load(id);
    if (key !== undefined) return mayReachKey(context, key) ? key.name : null;
    if (id === CONFIGURED_ADMIN_KEY_ID) return isAdmin ? 'ADMIN_API_KEY' : null;
    return isAdmin || isOfProject ? ((await loaders().auditName.load(id)) ?? null) : null;
  }

  private async keyOf(id: string | undefined, context: GraphQLContext): Promise<ApiKeyType | null> {
    const key = id === undefined ? undefined : await context.loaders().apiKey.load(id);
    return key !== undefined && mayReachKey(context, key) ? ApiKeyType.of(key, this.services.clock) : null;
  }
}

/** @throws ApiError invalid_request */
function oneOf<T extends string>(
  values: readonly T[],
  text: string | null | undefined,
  field: string,
): T | undefined {
  if (text == null) return undefined;
  const found = values.find((value) => value === text);
  if (found === undefined) throw invalidRequest({ field, message: `must be one of ${values.join(', ')}` });
  return found;
}
