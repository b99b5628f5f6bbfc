import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import {
  stateOf,
  type ApiKey,
  type ApiKeyRole,
  type ApiKeyState,
} from '../../../../features/keys/api-key.js';
import type { ApiKeysPage } from '../../../../features/keys/api-keys-store.js';
import type { PlanId } from '../../../../features/plans/plans.js';
import type { WindowName } from '../../../../features/plans/window.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { ApiKeyRoleEnum, ApiKeyStateEnum, PlanIdEnum, QuotaWindowNameEnum } from '../enums.js';
import { PageInfoType } from '../page-info.js';
import { QuotaType } from './quota-types.js';

@ObjectType('ApiKey', {
  simpleResolvers: true,
  description: 'An API key. Its secret is shown once, when it is made or rotated, and is never part of this.',
})
export class ApiKeyType {
  constructor(
    readonly key: ApiKey,
    private readonly nowMs: number,
    private readonly usageAsOfMs: number,
  ) {}

  @Field(() => ID, { description: 'The id of the key, which rotation keeps.' })
  get id(): string {
    return this.key.id;
  }

  @Field(() => String, { description: 'The name that people know the key by.' })
  get name(): string {
    return this.key.name;
  }

  @Field(() => String, { description: 'The first characters of its newest secret, to recognise the key by.' })
  get start(): string {
    return this.key.secrets.at(-1)?.start ?? '';
  }

  @Field(() => ApiKeyRoleEnum, { description: 'What the key may do.' })
  get role(): ApiKeyRole {
    return this.key.role;
  }

  @Field(() => ApiKeyStateEnum, {
    description: 'Whether the key can be used at this moment. A ban is no state: see `quota.ban`.',
  })
  get state(): ApiKeyState {
    return stateOf(this.key, this.nowMs);
  }

  @Field(() => [String], {
    description:
      'The origins of pages that a browser key may be used from, in the order given. Empty for other roles.',
  })
  get allowedOrigins(): string[] {
    return [...this.key.allowedOrigins];
  }

  @Field(() => DateTimeScalar, { description: 'When the key was created.' })
  get createdAt(): Date {
    return this.key.createdAt;
  }

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the key ends by itself; null: never.' })
  get expiresAt(): Date | undefined {
    return this.key.expiresAt;
  }

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the key was last used, as of `asOf`; null: not yet.',
  })
  get lastUsedAt(): Date | undefined {
    return this.key.lastUsedAt;
  }

  @Field(() => Int, {
    description:
      'Units of quota that the key was charged on the current UTC day, as of `asOf`: a request costs one or more. 0 for an admin key, which has no day. The counter itself is in `quota`.',
  })
  get usageToday(): number {
    return this.key.usageToday;
  }

  @Field(() => DateTimeScalar, {
    description:
      'Until when all requests are in `usageToday` and `lastUsedAt`, which are written in batches.',
  })
  get asOf(): Date {
    return new Date(this.usageAsOfMs);
  }
}

@ObjectType('ApiKeyEdge', { simpleResolvers: true, description: 'A key at its place in a list.' })
export class ApiKeyEdgeType {
  @Field(() => ApiKeyType, { description: 'The key at this place.' })
  node!: ApiKeyType;

  @Field(() => String, {
    description: 'The place of the key in this list and order: pass it as `after` for what follows.',
  })
  cursor!: string;
}

@ObjectType('ApiKeyConnection', { simpleResolvers: true, description: 'A page of API keys.' })
export class ApiKeyConnectionType {
  @Field(() => [ApiKeyEdgeType], { description: 'The keys of this page, in the order that was asked for.' })
  edges!: ApiKeyEdgeType[];

  @Field(() => PageInfoType, {
    description: 'Whether there are keys before and after this page, and where to go on.',
  })
  pageInfo!: PageInfoType;

  static of(
    { entries, hasMore }: ApiKeysPage,
    hasPrevious: boolean,
    toType: (key: ApiKey) => ApiKeyType,
  ): ApiKeyConnectionType {
    const edges = entries.map(({ key, cursor }) => ({ node: toType(key), cursor }));
    return { edges, pageInfo: PageInfoType.of(edges, hasMore, hasPrevious) };
  }
}

@InputType({ description: 'Which keys to list. Every condition that is given has to hold.' })
export class ApiKeyFilter {
  @Field(() => ID, {
    nullable: true,
    description:
      'Only keys of the project with this id. Null or left out: for an owner its own project, for an admin all keys.',
  })
  projectId?: string | null;

  @Field(() => PlanIdEnum, {
    nullable: true,
    description: 'Only keys of projects on this plan. Null or left out: any plan, and admin keys.',
  })
  plan?: PlanId | null;

  @Field(() => ApiKeyRoleEnum, {
    nullable: true,
    description: 'Only keys with this role. Null or left out: any role.',
  })
  role?: ApiKeyRole | null;

  @Field(() => ApiKeyStateEnum, {
    nullable: true,
    description: 'Only keys in this state. Null or left out: any state.',
  })
  state?: ApiKeyState | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'True: only keys that are banned now; false: only those that are not. Null or left out: both.',
  })
  banned?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "True: only keys that have used at least 80 % of their day's limit; false: only the others. Null or left out: both.",
  })
  nearLimit?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Only keys with this text in their name, in upper or lower case. Null or left out: any name.',
  })
  nameContains?: string | null;
}

@InputType({ description: 'The API key to create.' })
export class CreateApiKeyInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the project that the key is for. An owner may leave it out, which means its own; for an admin key it is null or left out.',
  })
  projectId?: string | null;

  @Field(() => String, { description: 'The name that people will know the key by, 1 to 100 characters.' })
  name!: string;

  @Field(() => ApiKeyRoleEnum, { nullable: true, description: 'What the key may do. Defaults to `server`.' })
  role?: ApiKeyRole | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the key is to end by itself. Null or left out: never.',
  })
  expiresAt?: Date | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'The origins of pages that a browser key may be used from, such as https://shop.example. Required for a browser key; null or left out for other roles.',
  })
  allowedOrigins?: string[] | null;
}

@InputType({ description: 'The key to give a new secret. Its id, counters, ban and history stay.' })
export class RotateApiKeyInput {
  @Field(() => ID, { description: 'The id of the key.' })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'How long the old secret still works, in seconds, 0 to 604800. Defaults to 86400, a day.',
  })
  overlapSeconds?: number | null;
}

@InputType({ description: 'The key to end for good.' })
export class RevokeApiKeyInput {
  @Field(() => ID, { description: 'The id of the key. One that is revoked already is no error.' })
  id!: string;
}

@InputType({ description: 'A fresh start of one window of a key, or of both.' })
export class ResetQuotaInput {
  @Field(() => ID, { description: 'The id of the key whose requests were counted.' })
  apiKeyId!: string;

  @Field(() => QuotaWindowNameEnum, {
    nullable: true,
    description: 'The window that begins anew. Null or left out: both.',
  })
  window?: WindowName | null;
}

@InputType({ description: 'The key whose ban is to end before its time.' })
export class LiftBanInput {
  @Field(() => ID, { description: 'The id of the banned key. One that is not banned is no error.' })
  apiKeyId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The key that was created, and its secret.' })
export class CreateApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key without its secret.' })
  apiKey!: ApiKeyType;

  @Field(() => String, {
    description: 'The secret, to be sent as Bearer token. It is shown this once and cannot be read again.',
  })
  secret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The key that was rotated, and its new secret.' })
export class RotateApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key without its secret.' })
  apiKey!: ApiKeyType;

  @Field(() => String, {
    description:
      'The new secret, to be sent as Bearer token. It is shown this once and cannot be read again.',
  })
  secret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The key that was revoked.' })
export class RevokeApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key, which is in the state `revoked` from now on.' })
  apiKey!: ApiKeyType;
}

@ObjectType({ simpleResolvers: true, description: 'The quota after the reset.' })
export class ResetQuotaPayload {
  @Field(() => QuotaType, { description: 'The quota of the key as it stands now.' })
  quota!: QuotaType;
}

@ObjectType({ simpleResolvers: true, description: 'The quota of the key whose ban was lifted.' })
export class LiftBanPayload {
  @Field(() => QuotaType, { description: 'The quota, without a ban.' })
  quota!: QuotaType;
}
