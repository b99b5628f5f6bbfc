import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { stateOf, type ApiKey, type ApiKeyRole, type ApiKeyState } from '../../api-keys/api-key.js';
import type { ApiKeysPage } from '../../api-keys/api-keys-store.js';
import type { PlanId } from '../../quotas/plans.js';
import type { WindowName } from '../../quotas/window.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { ApiKeyRoleEnum, ApiKeyStateEnum, PlanIdEnum, QuotaWindowNameEnum } from './enums.js';
import { PageInfoType } from './page-info.js';
import { QuotaType } from './quota-types.js';

@ObjectType('ApiKey', {
  simpleResolvers: true,
  description: 'An API key. Its secret is shown once, when it is made or rotated.',
})
export class ApiKeyType {
  constructor(
    readonly key: ApiKey,
    private readonly nowMs: number,
    private readonly usageAsOfMs: number,
  ) {}

  @Field(() => ID, { description: 'Its id; rotation keeps it.' })
  get id(): string {
    return this.key.id;
  }

  @Field(() => String, { description: 'What people know it by.' })
  get name(): string {
    return this.key.name;
  }

  @Field(() => String, { description: 'The beginning of its newest secret, to recognise it by.' })
  get start(): string {
    return this.key.secrets.at(-1)?.start ?? '';
  }

  @Field(() => ApiKeyRoleEnum, { description: 'What it may do.' })
  get role(): ApiKeyRole {
    return this.key.role;
  }

  @Field(() => ApiKeyStateEnum, { description: 'Whether it can be used.' })
  get state(): ApiKeyState {
    return stateOf(this.key, this.nowMs);
  }

  @Field(() => [String], { description: 'Where a browser key may be used from.' })
  get allowedOrigins(): string[] {
    return [...this.key.allowedOrigins];
  }

  @Field(() => DateTimeScalar, { description: 'When it was made.' })
  get createdAt(): Date {
    return this.key.createdAt;
  }

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends by itself.' })
  get expiresAt(): Date | undefined {
    return this.key.expiresAt;
  }

  @Field(() => DateTimeScalar, { nullable: true, description: 'Its last request, as of `asOf`.' })
  get lastUsedAt(): Date | undefined {
    return this.key.lastUsedAt;
  }

  @Field(() => Int, {
    description:
      "Requests of the current UTC day, as of `asOf`, 0 for an admin key, which has no day; `quota` has the counter's own.",
  })
  get usageToday(): number {
    return this.key.usageToday;
  }

  @Field(() => DateTimeScalar, { description: 'Uses are written in batches: all until then are in.' })
  get asOf(): Date {
    return new Date(this.usageAsOfMs);
  }
}

@ObjectType('ApiKeyEdge', { simpleResolvers: true, description: 'A key in a connection.' })
export class ApiKeyEdgeType {
  @Field(() => ApiKeyType, { description: 'The key.' })
  node!: ApiKeyType;

  @Field(() => String, { description: 'Its place in the list.' })
  cursor!: string;
}

@ObjectType('ApiKeyConnection', { simpleResolvers: true, description: 'A page of keys.' })
export class ApiKeyConnectionType {
  @Field(() => [ApiKeyEdgeType], { description: 'The keys of this page.' })
  edges!: ApiKeyEdgeType[];

  @Field(() => PageInfoType, { description: 'What lies before and after this page.' })
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

@InputType({ description: 'Which keys to list; what is left out does not matter.' })
export class ApiKeyFilter {
  @Field(() => ID, { nullable: true, description: 'Of this project.' })
  projectId?: string | null;

  @Field(() => PlanIdEnum, { nullable: true, description: 'Of projects on this plan.' })
  plan?: PlanId | null;

  @Field(() => ApiKeyRoleEnum, { nullable: true, description: 'With this role.' })
  role?: ApiKeyRole | null;

  @Field(() => ApiKeyStateEnum, { nullable: true, description: 'In this state.' })
  state?: ApiKeyState | null;

  @Field(() => Boolean, { nullable: true, description: 'Banned now, or not.' })
  banned?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "With 80 % of today's requests used, or not." })
  nearLimit?: boolean | null;

  @Field(() => String, { nullable: true, description: 'With this in the name, in any case.' })
  nameContains?: string | null;
}

@InputType({ description: 'A key to create.' })
export class CreateApiKeyInput {
  @Field(() => ID, {
    nullable: true,
    description: 'Whose it is; an owner may leave it out, an admin key has none.',
  })
  projectId?: string | null;

  @Field(() => String, { description: '1 to 100 characters.' })
  name!: string;

  @Field(() => ApiKeyRoleEnum, { nullable: true, description: 'Defaults to server.' })
  role?: ApiKeyRole | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends by itself.' })
  expiresAt?: Date | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Needed for a browser key: the origins it may be used from, such as https://shop.example.',
  })
  allowedOrigins?: string[] | null;
}

@InputType({ description: 'A rotation: id, counters, ban and history of the key stay.' })
export class RotateApiKeyInput {
  @Field(() => ID, { description: 'The key.' })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'How long the old secret still works; a day unless said.',
  })
  overlapSeconds?: number | null;
}

@InputType({ description: 'The end of a key, for good.' })
export class RevokeApiKeyInput {
  @Field(() => ID, { description: 'The key.' })
  id!: string;
}

@InputType({ description: 'A fresh start of a window, or of both.' })
export class ResetQuotaInput {
  @Field(() => ID, { description: 'The key.' })
  apiKeyId!: string;

  @Field(() => QuotaWindowNameEnum, { nullable: true, description: 'Both unless said.' })
  window?: WindowName | null;
}

@InputType({ description: 'The end of a ban before its time.' })
export class LiftBanInput {
  @Field(() => ID, { description: 'The key.' })
  apiKeyId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The created key.' })
export class CreateApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key.' })
  apiKey!: ApiKeyType;

  @Field(() => String, { description: 'What to send as Bearer token. Shown this once.' })
  secret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The rotated key.' })
export class RotateApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key.' })
  apiKey!: ApiKeyType;

  @Field(() => String, { description: 'The new secret. Shown this once.' })
  secret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The revoked key.' })
export class RevokeApiKeyPayload {
  @Field(() => ApiKeyType, { description: 'The key.' })
  apiKey!: ApiKeyType;
}

@ObjectType({ simpleResolvers: true, description: 'The quota after the reset.' })
export class ResetQuotaPayload {
  @Field(() => QuotaType, { description: 'The quota.' })
  quota!: QuotaType;
}

@ObjectType({ simpleResolvers: true, description: 'The quota without the ban.' })
export class LiftBanPayload {
  @Field(() => QuotaType, { description: 'The quota.' })
  quota!: QuotaType;
}
