import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import {
  stateOf,
  type ApiKey,
  type ApiKeyRole,
  type ApiKeyState,
} from '../../../../features/keys/api-key.js';
import type { ApiKeysPage } from '../../../../features/keys/api-keys-store.js';
import { WRITE_INTERVAL_MS } from '../../../../features/usage/recorder.js';
import type { PlanId } from '../../../../features/plans/plans.js';
import type { WindowName } from '../../../../features/plans/window.js';
import type { Clock } from '../../../../lib/clock.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { ApiKeyRoleEnum, ApiKeyStateEnum, PlanIdEnum, QuotaWindowNameEnum } from '../enums.js';
import { PageInfoType } from '../paging.js';
import { QuotaType } from './quota-types.js';

@ObjectType('ApiKey', {
  simpleResolvers: true,
  description:
    'An API key. Its secret is shown only once, when the key is created or rotated, and is never part of this type.',
})
export class ApiKeyType {
  /** What the resolvers of its other fields read. */
  readonly key!: ApiKey;

  @Field(() => ID, { description: 'The id of the key. Rotation does not change it.' })
  id!: string;

  @Field(() => String, { description: 'The name of the key, for people.' })
  name!: string;

  @Field(() => String, { description: 'The first characters of the newest secret, to recognize the key by.' })
  start!: string;

  @Field(() => ApiKeyRoleEnum, { description: 'What the key may do.' })
  role!: ApiKeyRole;

  @Field(() => ApiKeyStateEnum, {
    description: 'Whether the key can be used now. A ban is not a state: see `quota.ban`.',
  })
  state!: ApiKeyState;

  @Field(() => [String], {
    description:
      'The origins of the pages that can use a browser key, in the order given. Empty for other roles.',
  })
  allowedOrigins!: readonly string[];

  @Field(() => DateTimeScalar, { description: 'When the key was created.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the key expires, or null if it never expires.',
  })
  expiresAt?: ApiKey['expiresAt'];

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'When the invitation of a staff key ends that the person has not accepted yet. In the past if it expired: `renewInvitation` creates another one. Null for keys of other roles, and once the person has accepted.',
  })
  invitedUntil?: Date | undefined;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the key was last used, as of `asOf`. Null if it has not been used yet.',
  })
  lastUsedAt?: ApiKey['lastUsedAt'];

  @Field(() => Int, {
    description:
      'The number of quota units charged to the key on the current UTC day, as of `asOf`. A request costs one unit or more. Always 0 for an admin key, which has no day window. For the current counter, see `quota`.',
  })
  usageToday!: number;

  @Field(() => DateTimeScalar, {
    description:
      'The time up to which `usageToday` and `lastUsedAt` include all requests. The gateway writes them in batches.',
  })
  asOf!: Date;

  static of(key: ApiKey, clock: Clock): ApiKeyType {
    const nowMs = clock();
    return {
      ...key,
      key,
      start: key.secrets.at(-1)?.start ?? '',
      state: stateOf(key, nowMs),
      invitedUntil: key.invitation?.expiresAt,
      // Uses older than that have been written to the store.
      asOf: new Date(nowMs - WRITE_INTERVAL_MS),
    };
  }
}

@ObjectType('ApiKeyEdge', { simpleResolvers: true, description: 'A key and its cursor in a list.' })
export class ApiKeyEdgeType {
  @Field(() => ApiKeyType, { description: 'The key at this position.' })
  node!: ApiKeyType;

  @Field(() => String, {
    description:
      'The cursor of the key in this list and order. Pass it as `after` to get the keys that follow.',
  })
  cursor!: string;
}

@ObjectType('ApiKeyConnection', { simpleResolvers: true, description: 'A page of API keys.' })
export class ApiKeyConnectionType {
  @Field(() => [ApiKeyEdgeType], { description: 'The keys of this page, in the requested order.' })
  edges!: ApiKeyEdgeType[];

  @Field(() => PageInfoType, {
    description: 'Whether there are keys before and after this page, and the cursors to continue from.',
  })
  pageInfo!: PageInfoType;

  static of({ entries, hasMore }: ApiKeysPage, hasPrevious: boolean, clock: Clock): ApiKeyConnectionType {
    const edges = entries.map(({ key, cursor }) => ({ node: ApiKeyType.of(key, clock), cursor }));
    return { edges, pageInfo: PageInfoType.of(edges, hasMore, hasPrevious) };
  }
}

@InputType({ description: 'Which keys to list. A key must match every condition that you set.' })
export class ApiKeyFilter {
  @Field(() => ID, {
    nullable: true,
    description:
      'Only keys of the project with this id. If null or omitted: for an owner, keys of its own project; for an admin, all keys.',
  })
  projectId?: string | null;

  @Field(() => PlanIdEnum, {
    nullable: true,
    description: 'Only keys of projects on this plan. If null or omitted, keys of any plan and admin keys.',
  })
  plan?: PlanId | null;

  @Field(() => ApiKeyRoleEnum, {
    nullable: true,
    description: 'Only keys with this role. If null or omitted, keys with any role.',
  })
  role?: ApiKeyRole | null;

  @Field(() => ApiKeyStateEnum, {
    nullable: true,
    description: 'Only keys in this state. If null or omitted, keys in any state.',
  })
  state?: ApiKeyState | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'If true, only keys that are currently banned; if false, only keys that are not. If null or omitted, both.',
  })
  banned?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'If true, only keys that today (UTC) used at least 80 % of their daily limit, or of their limit in any minute; if false, only the others. If null or omitted, both.',
  })
  nearLimit?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'If true, only keys whose requests were rejected with 429 today (UTC), as of `asOf`; if false, only the others. If null or omitted, both. `ApiKey.refusals` has the reasons.',
  })
  rejectedToday?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'If true, only keys with requests today (UTC); if false, only keys without. If null or omitted, both.',
  })
  usedToday?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Only keys whose name contains this text, ignoring case. If null or omitted, keys with any name.',
  })
  nameContains?: string | null;
}

@InputType({ description: 'The API key to create.' })
export class CreateApiKeyInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the project that the key belongs to. An owner can omit it to use its own project. For an admin key, it must be null or omitted.',
  })
  projectId?: string | null;

  @Field(() => String, { description: 'The name of the key, for people, 1 to 100 characters.' })
  name!: string;

  @Field(() => ApiKeyRoleEnum, {
    nullable: true,
    description: 'What the key may do. Defaults to `server`. For `staff`, use `createInvitation` instead.',
  })
  role?: ApiKeyRole | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the key expires. If null or omitted, it never expires.',
  })
  expiresAt?: Date | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'The origins of the pages that can use a browser key, such as https://shop.example. Required for a browser key; null or omitted for other roles.',
  })
  allowedOrigins?: string[] | null;
}

@InputType({
  description:
    'The properties of a key to change. Its secret, role, counters, ban and history do not change.',
})
export class UpdateApiKeyInput {
  @Field(() => ID, { description: 'The id of the key.' })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The new name, 1 to 100 characters. If null or omitted, the name stays.',
  })
  name?: string | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'When the key expires, in the future; an expired key works again. If null, the key never expires. If omitted, the expiry stays.',
  })
  expiresAt?: Date | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'All origins of the pages that can use a browser key from now on. If null or omitted, the origins stay.',
  })
  allowedOrigins?: string[] | null;
}

@InputType({ description: 'The key to give a new secret. Its id, counters, ban and history do not change.' })
export class RotateApiKeyInput {
  @Field(() => ID, { description: 'The id of the key.' })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'How long the old secret keeps working, in seconds, 0 to 604800 (7 days). Defaults to 86400 (1 day).',
  })
  overlapSeconds?: number | null;
}

@InputType({ description: 'The key to disable.' })
export class DisableApiKeyInput {
  @Field(() => ID, { description: 'The id of the key. It is not an error if the key is already disabled.' })
  id!: string;
}

@InputType({ description: 'The key to enable.' })
export class EnableApiKeyInput {
  @Field(() => ID, { description: 'The id of the key. It is not an error if the key is not disabled.' })
  id!: string;
}

@InputType({ description: 'The key to revoke permanently.' })
export class RevokeApiKeyInput {
  @Field(() => ID, { description: 'The id of the key. It is not an error if the key is already revoked.' })
  id!: string;
}

@InputType({ description: 'Resets one or both quota windows of a key.' })
export class ResetQuotaInput {
  @Field(() => ID, { description: 'The id of the key whose windows to reset.' })
  apiKeyId!: string;

  @Field(() => QuotaWindowNameEnum, {
    nullable: true,
    description: 'The window to reset. If null or omitted, all windows are reset.',
  })
  window?: WindowName | null;
}

@InputType({ description: 'The key to release from its ban.' })
export class LiftBanInput {
  @Field(() => ID, { description: 'The id of the banned key. It is not an error if the key is not banned.' })
  apiKeyId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The key that was created, and its secret.' })
export class CreateApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key without its secret.' })
  apiKey!: ApiKeyType;

  @Field(() => String, {
    description:
      'The secret, to send as a Bearer token. It is shown only once and cannot be retrieved later.',
  })
  secret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The key that was changed.' })
export class UpdateApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key after the change.' })
  apiKey!: ApiKeyType;
}

@ObjectType({ simpleResolvers: true, description: 'The key that was rotated, and its new secret.' })
export class RotateApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key without its secret.' })
  apiKey!: ApiKeyType;

  @Field(() => String, {
    description:
      'The new secret, to send as a Bearer token. It is shown only once and cannot be retrieved later.',
  })
  secret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The key that was disabled.' })
export class DisableApiKeyPayload {
  @Field(() => ApiKeyType, {
    description: 'The key, now in the state `disabled`, or `expired` if it expired.',
  })
  apiKey!: ApiKeyType;
}

@ObjectType({ simpleResolvers: true, description: 'The key that was enabled.' })
export class EnableApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key, now in the state `active`, or `expired` if it expired.' })
  apiKey!: ApiKeyType;
}

@ObjectType({ simpleResolvers: true, description: 'The key that was revoked.' })
export class RevokeApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key, now in the state `revoked`.' })
  apiKey!: ApiKeyType;
}

@ObjectType({ simpleResolvers: true, description: 'The quota after the reset.' })
export class ResetQuotaPayload {
  @Field(() => QuotaType, { description: 'The current quota of the key.' })
  quota!: QuotaType;
}

@ObjectType({ simpleResolvers: true, description: 'The quota of the key whose ban was lifted.' })
export class LiftBanPayload {
  @Field(() => QuotaType, { description: 'The quota, without a ban.' })
  quota!: QuotaType;
}
