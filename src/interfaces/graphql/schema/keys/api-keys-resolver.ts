import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { ApiKey } from '../../../../features/keys/api-key.js';
import { apiKeyNotFound } from '../../../../features/keys/api-keys-service.js';
import type { ApiKeyOrder } from '../../../../features/keys/api-keys-store.js';
import { isNotFound } from '../../../../lib/errors.js';
import { projectNotFound } from '../../../../features/projects/projects-service.js';
import type { GraphQLParts } from '../../parts.js';
import { apiKeyPage } from './api-key-page.js';
import {
  mayReachKey,
  requireNotBrowser,
  requireProjectAccess,
  requireRole,
  type GraphQLContext,
} from '../context.js';
import { First } from '../paging.js';
import {
  ApiKeyConnectionType,
  ApiKeyFilter,
  ApiKeyType,
  CreateApiKeyInput,
  CreateApiKeyPayload,
  DisableApiKeyInput,
  DisableApiKeyPayload,
  EnableApiKeyInput,
  EnableApiKeyPayload,
  LiftBanInput,
  LiftBanPayload,
  ResetQuotaInput,
  ResetQuotaPayload,
  RevokeApiKeyInput,
  RevokeApiKeyPayload,
  RotateApiKeyInput,
  RotateApiKeyPayload,
  UpdateApiKeyInput,
  UpdateApiKeyPayload,
} from './api-key-types.js';
import { ApiKeyOrderEnum } from '../enums.js';
import { ProjectType } from '../projects/project-types.js';
import { QuotaType } from './quota-types.js';
import { Facts } from '../../field-facts.js';

const DEFAULT_OVERLAP_SECONDS = 86_400;

@Resolver(() => ApiKeyType)
export class ApiKeysResolver {
  constructor(
    private readonly services: Pick<GraphQLParts, 'apiKeys' | 'administration' | 'keyQuotas' | 'clock'>,
  ) {}

  @Query(() => QuotaType, { description: "The caller's own quota, after this request." })
  async quota(@Ctx() context: GraphQLContext): Promise<QuotaType> {
    requireNotBrowser(context);
    const { caller, verdict, isBySession } = context;
    if (isBySession === true) return this.toQuota(caller.key);
    return QuotaType.of(caller.key, {
      plan: caller.project?.plan,
      windows: verdict.windows,
      ban: undefined,
      isStoreDown: this.services.keyQuotas.isStoreDown(),
    });
  }

  @Query(() => ApiKeyType, {
    nullable: true,
    description:
      'One API key. Owners see the keys of their own project, admins all keys. Null if the caller can see no key with this id.',
  })
  async apiKey(
    @Arg('id', () => ID, { description: 'The id of the key.' }) id: string,
    @Ctx() context: GraphQLContext,
  ): Promise<ApiKeyType | null> {
    requireRole(context, 'owner', 'admin');
    const key = await this.find(id);
    // An owner cannot distinguish another project's key from a missing one.
    if (key === undefined || !mayReachKey(context, key)) return null;
    return this.toType(key);
  }

  @Query(() => ApiKeyConnectionType, {
    description: 'API keys, in pages. Owners see the keys of their own project, admins all keys.',
  })
  apiKeys(
    @First()
    first: number | null,
    @Arg('after', () => String, {
      nullable: true,
      description:
        'The cursor of an item on an earlier page with the same order. This page starts after that item. If null or omitted, it starts at the beginning.',
    })
    after: string | null,
    @Arg('filter', () => ApiKeyFilter, {
      nullable: true,
      description: 'Which keys to list. If null or omitted, all keys that the caller may see.',
    })
    filter: ApiKeyFilter | null,
    @Arg('orderBy', () => ApiKeyOrderEnum, {
      nullable: true,
      defaultValue: 'createdAt',
      description: 'The order of the list. Defaults to `createdAt`.',
    })
    orderBy: ApiKeyOrder | null,
    @Ctx() context: GraphQLContext,
  ): Promise<ApiKeyConnectionType> {
    requireRole(context, 'owner', 'admin');
    const { key, project } = context.caller;
    const asked = filter ?? {};
    const projectId = asked.projectId ?? (key.role === 'admin' ? undefined : project?.id);
    if (projectId !== undefined) requireProjectAccess(context, projectId);
    return apiKeyPage(this.services, context.heavyRead, {
      first,
      after,
      orderBy,
      filter: {
        projectId,
        plan: asked.plan ?? undefined,
        role: asked.role ?? undefined,
        state: asked.state ?? undefined,
        banned: asked.banned ?? undefined,
        nearLimit: asked.nearLimit ?? undefined,
        rejectedToday: asked.rejectedToday ?? undefined,
        usedToday: asked.usedToday ?? undefined,
        nameContains: asked.nameContains ?? undefined,
      },
    });
  }

  @FieldResolver(() => ProjectType, {
    nullable: true,
    description: 'The project that the key belongs to; null for an admin key.',
  })
  async project(
    @Root() { key }: ApiKeyType,
    @Ctx() { loaders }: GraphQLContext,
  ): Promise<ProjectType | null> {
    const project = key.projectId === undefined ? undefined : await loaders().project.load(key.projectId);
    return project === undefined ? null : ProjectType.of(project);
  }

  // Its counters are a read of their own.
  @Facts({ weight: { mostItems: 4, areNodes: true } })
  @FieldResolver(() => QuotaType, {
    name: 'quota',
    description: 'The current quota of the key. This field does not charge the key that it shows.',
  })
  async quotaOf(@Root() { key }: ApiKeyType, @Ctx() { loaders }: GraphQLContext): Promise<QuotaType> {
    return QuotaType.of(key, await loaders().quota.load(key));
  }

  @Mutation(() => CreateApiKeyPayload, {
    description:
      'Creates an API key and returns its secret, only this once. Available to admins, and to owners within their project, except for admin keys.',
  })
  async createApiKey(
    @Arg('input', () => CreateApiKeyInput, { description: 'The properties of the new key.' })
    input: CreateApiKeyInput,
    @Ctx() context: GraphQLContext,
  ): Promise<CreateApiKeyPayload> {
    requireRole(context, 'owner', 'admin');
    if (input.role === 'admin') requireRole(context, 'admin');
    const projectId = this.projectOfNewKey(context, input.projectId);
    const { apiKey, secret } = await this.services.administration(context.caller).createApiKey({
      name: input.name,
      role: input.role ?? undefined,
      projectId,
      expiresAt: input.expiresAt ?? undefined,
      allowedOrigins: input.allowedOrigins ?? undefined,
    });
    return { apiKey: this.toType(apiKey), secret };
  }

  @Mutation(() => UpdateApiKeyPayload, {
    description:
      'Changes the name, the expiry or the allowed origins of a key. Its next request follows the change. A revoked key cannot change: `conflict`. Available to admins, and to owners within their project.',
  })
  async updateApiKey(
    @Arg('input', () => UpdateApiKeyInput, { description: 'The key, and what to change.' })
    { id, name, expiresAt, allowedOrigins }: UpdateApiKeyInput,
    @Ctx() context: GraphQLContext,
  ): Promise<UpdateApiKeyPayload> {
    await this.reach(context, id);
    const changes = { name: name ?? undefined, expiresAt, allowedOrigins: allowedOrigins ?? undefined };
    return {
      apiKey: this.toType(await this.services.administration(context.caller).updateApiKey(id, changes)),
    };
  }

  @Mutation(() => RotateApiKeyPayload, {
    description:
      'Gives a key a new secret. The old secret keeps working for the overlap period. At most three secrets of a key work at the same time: another rotation ends the oldest one. Returns `conflict` for a revoked or expired key: first give an expired key a later expiry with `updateApiKey`. Available to admins, and to owners within their project.',
  })
  async rotateApiKey(
    @Arg('input', () => RotateApiKeyInput, { description: 'The key to rotate.' }) input: RotateApiKeyInput,
    @Ctx() context: GraphQLContext,
  ): Promise<RotateApiKeyPayload> {
    await this.reach(context, input.id);
    const { apiKey, secret } = await this.services
      .administration(context.caller)
      .rotateApiKey(input.id, input.overlapSeconds ?? DEFAULT_OVERLAP_SECONDS);
    return { apiKey: this.toType(apiKey), secret };
  }

  @Mutation(() => DisableApiKeyPayload, {
    description:
      'Disables a key until `enableApiKey` enables it: requests with its secrets get `invalid_api_key`, with `reason: disabled` in the details. Its secrets, counters, ban and history stay, and it keeps its place in the plan. A revoked key cannot change: `conflict`. Available to admins, and to owners within their project. An owner that disables its own key cannot enable it.',
  })
  async disableApiKey(
    @Arg('input', () => DisableApiKeyInput, { description: 'The key to disable.' })
    { id }: DisableApiKeyInput,
    @Ctx() context: GraphQLContext,
  ): Promise<DisableApiKeyPayload> {
    await this.reach(context, id);
    return { apiKey: this.toType(await this.services.administration(context.caller).disableApiKey(id)) };
  }

  @Mutation(() => EnableApiKeyPayload, {
    description:
      'Enables a disabled key: its secrets work again from its next request on. A revoked key cannot change: `conflict`. Available to admins, and to owners within their project.',
  })
  async enableApiKey(
    @Arg('input', () => EnableApiKeyInput, { description: 'The key to enable.' }) { id }: EnableApiKeyInput,
    @Ctx() context: GraphQLContext,
  ): Promise<EnableApiKeyPayload> {
    await this.reach(context, id);
    return { apiKey: this.toType(await this.services.administration(context.caller).enableApiKey(id)) };
  }

  @Mutation(() => RevokeApiKeyPayload, {
    description:
      'Revokes a key permanently: its secrets no longer work. Available to admins, and to owners within their project.',
  })
  async revokeApiKey(
    @Arg('input', () => RevokeApiKeyInput, { description: 'The key to revoke.' }) { id }: RevokeApiKeyInput,
    @Ctx() context: GraphQLContext,
  ): Promise<RevokeApiKeyPayload> {
    await this.reach(context, id);
    return { apiKey: this.toType(await this.services.administration(context.caller).revokeApiKey(id)) };
  }

  @Mutation(() => ResetQuotaPayload, {
    description: 'Resets one or both quota windows of a key. Admins only.',
  })
  async resetQuota(
    @Arg('input', () => ResetQuotaInput, { description: 'The key and the window.' })
    { apiKeyId, window }: ResetQuotaInput,
    @Ctx() context: GraphQLContext,
  ): Promise<ResetQuotaPayload> {
    requireRole(context, 'admin');
    const key = await this.services.administration(context.caller).resetQuota(apiKeyId, window ?? undefined);
    return { quota: await this.toQuota(key) };
  }

  @Mutation(() => LiftBanPayload, { description: 'Ends the ban of a key early. Admins only.' })
  async liftBan(
    @Arg('input', () => LiftBanInput, { description: 'The key to release from its ban.' })
    { apiKeyId }: LiftBanInput,
    @Ctx() context: GraphQLContext,
  ): Promise<LiftBanPayload> {
    requireRole(context, 'admin');
    const key = await this.services.administration(context.caller).liftBan(apiKeyId);
    return { quota: await this.toQuota(key) };
  }

  private toType(key: ApiKey): ApiKeyType {
    return ApiKeyType.of(key, this.services.clock);
  }

  private async toQuota(key: ApiKey): Promise<QuotaType> {
    return QuotaType.of(key, await this.services.keyQuotas.of(key));
  }

  private find(id: string): Promise<ApiKey | undefined> {
    return this.services.apiKeys.get(id).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  /**
   * Returns the project id of a new key; for an owner, the own project by default. @throws ApiError not_found if an
   * owner names another project, as for a missing project
   */
  private projectOfNewKey(
    { caller }: GraphQLContext,
    projectId: string | null | undefined,
  ): string | undefined {
    if (caller.key.role === 'admin') return projectId ?? undefined;
    const own = caller.project?.id;
    return projectId == null || projectId === own ? own : projectNotFound(projectId);
  }

  /** @throws ApiError forbidden; not_found, also for an owner who requests another project's key */
  private async reach(context: GraphQLContext, id: string): Promise<void> {
    requireRole(context, 'owner', 'admin');
    const key = await this.services.apiKeys.get(id);
    if (!mayReachKey(context, key)) apiKeyNotFound(id);
  }
}
