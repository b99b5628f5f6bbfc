// Made from key-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../api/document.js';
import type { ApiInterface, ApiKeyFilter, ApiKeyOrder, ApiKeyRole, ApiKeyState, CreateApiKeyInput, DisableApiKeyInput, EnableApiKeyInput, LiftBanInput, QuotaWindowName, ResetQuotaInput, RevokeApiKeyInput, RotateApiKeyInput, UpdateApiKeyInput } from '../../api/schema-types.js';

export interface QuotaWindow {
  name: QuotaWindowName;
  limit: number;
  used: number;
  resetAt: string | null;
}

export interface QuotaUse {
  isStoreDown: boolean;
  windows: QuotaWindow[];
}

export interface Ban {
  until: string;
  offences: number;
}

export interface Strikes {
  count: number;
  left: number;
}

export interface ApiKey {
  id: string;
  name: string;
  start: string;
  role: ApiKeyRole;
  state: ApiKeyState;
  allowedOrigins: string[];
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  quota: QuotaUse & { ban: Ban | null; strikes: Strikes | null };
}

export type KeyWithProject = ApiKey & {
  project: { id: string; name: string; plan: { name: string } } | null;
};

export interface ProjectKeysResult {
  project: { id: string; name: string; plan: { name: string; maxApiKeys: number }; activeApiKeys: number } | null;
  apiKeys: { edges: { node: ApiKey }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

export interface ProjectKeysVariables {
  projectId: string;
  filter?: ApiKeyFilter | null | undefined;
  orderBy?: ApiKeyOrder | null | undefined;
  after?: string | null | undefined;
}

export const PROJECT_KEYS: Document<ProjectKeysResult, ProjectKeysVariables> = {
  text: 'query ProjectKeys($projectId: ID!, $filter: ApiKeyFilter, $orderBy: ApiKeyOrder, $after: String) { project(id: $projectId) { id name plan { name maxApiKeys } activeApiKeys } apiKeys(first: 20, filter: $filter, orderBy: $orderBy, after: $after) { edges { node { ...ApiKey } } pageInfo { hasNextPage endCursor } } } fragment ApiKey on ApiKey { id name start role state allowedOrigins createdAt expiresAt lastUsedAt quota { ...QuotaUse ban { ...Ban } strikes { ...Strikes } } } fragment QuotaUse on Quota { isStoreDown windows { ...QuotaWindow } } fragment QuotaWindow on QuotaWindow { name limit used resetAt } fragment Ban on Ban { until offences } fragment Strikes on Strikes { count left }',
};

export interface KeyChange {
  id: string;
  at: string;
  action: string;
  actorRole: string;
  actorKeyId: string | null;
  actorName: string | null;
  changes: { property: string; before: string | null; after: string | null }[];
}

export interface KeyResult {
  apiKey: KeyWithProject | null;
  auditLog: { edges: { node: KeyChange }[] };
}

export interface KeyVariables {
  id: string;
}

export const KEY: Document<KeyResult, KeyVariables> = {
  text: 'query Key($id: ID!) { apiKey(id: $id) { ...KeyWithProject } auditLog(apiKeyId: $id, first: 20) { edges { node { ...KeyChange } } } } fragment KeyWithProject on ApiKey { ...ApiKey project { id name plan { name } } } fragment ApiKey on ApiKey { id name start role state allowedOrigins createdAt expiresAt lastUsedAt quota { ...QuotaUse ban { ...Ban } strikes { ...Strikes } } } fragment QuotaUse on Quota { isStoreDown windows { ...QuotaWindow } } fragment QuotaWindow on QuotaWindow { name limit used resetAt } fragment Ban on Ban { until offences } fragment Strikes on Strikes { count left } fragment KeyChange on AuditRecord { id at action actorRole actorKeyId actorName changes { property before after } }',
};

export interface UsageGroup {
  interface: ApiInterface;
  operation: string;
  status: number;
  requests: number;
  cost: number;
}

export interface Usage {
  requests: number;
  cost: number;
  refused: number;
  bans: number;
  days: { date: string; byStatus: { status: number; requests: number }[] }[];
  groups: UsageGroup[];
}

export interface KeyUsageResult {
  apiKey: { usage: Usage } | null;
}

export interface KeyUsageVariables {
  id: string;
  from?: string | null | undefined;
}

export const KEY_USAGE: Document<KeyUsageResult, KeyUsageVariables> = {
  text: 'query KeyUsage($id: ID!, $from: DateTime) { apiKey(id: $id) { usage(from: $from) { ...Usage } } } fragment Usage on Usage { requests cost refused bans days { date byStatus { status requests } } groups { ...UsageGroup } } fragment UsageGroup on UsageGroup { interface operation status requests cost }',
};

export interface Refusal {
  at: string;
  code: string;
  message: string;
  interface: ApiInterface;
  operation: string | null;
  window: string | null;
  limit: number | null;
  cost: number | null;
  resetAt: string | null;
}

export interface KeyRefusalsResult {
  apiKey: { refusals: Refusal[] } | null;
}

export interface KeyRefusalsVariables {
  id: string;
}

export const KEY_REFUSALS: Document<KeyRefusalsResult, KeyRefusalsVariables> = {
  text: 'query KeyRefusals($id: ID!) { apiKey(id: $id) { refusals(first: 10) { ...Refusal } } } fragment Refusal on Refusal { at code message interface operation window limit cost resetAt }',
};

export interface NewKey {
  id: string;
  name: string;
  role: ApiKeyRole;
  allowedOrigins: string[];
}

export interface CreateKeyResult {
  createApiKey: { apiKey: NewKey; secret: string };
}

export interface CreateKeyVariables {
  input: CreateApiKeyInput;
}

export const CREATE_KEY: Document<CreateKeyResult, CreateKeyVariables> = {
  text: 'mutation CreateKey($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { ...NewKey } secret } } fragment NewKey on ApiKey { id name role allowedOrigins }',
};

export interface UpdateKeyResult {
  updateApiKey: { apiKey: { id: string } };
}

export interface UpdateKeyVariables {
  input: UpdateApiKeyInput;
}

export const UPDATE_KEY: Document<UpdateKeyResult, UpdateKeyVariables> = {
  text: 'mutation UpdateKey($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { apiKey { id } } }',
};

export interface RotateKeyResult {
  rotateApiKey: { apiKey: NewKey; secret: string };
}

export interface RotateKeyVariables {
  input: RotateApiKeyInput;
}

export const ROTATE_KEY: Document<RotateKeyResult, RotateKeyVariables> = {
  text: 'mutation RotateKey($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { apiKey { ...NewKey } secret } } fragment NewKey on ApiKey { id name role allowedOrigins }',
};

export interface RevokeKeyResult {
  revokeApiKey: { apiKey: { id: string } };
}

export interface RevokeKeyVariables {
  input: RevokeApiKeyInput;
}

export const REVOKE_KEY: Document<RevokeKeyResult, RevokeKeyVariables> = {
  text: 'mutation RevokeKey($input: RevokeApiKeyInput!) { revokeApiKey(input: $input) { apiKey { id } } }',
};

export interface DisableKeyResult {
  disableApiKey: { apiKey: { id: string } };
}

export interface DisableKeyVariables {
  input: DisableApiKeyInput;
}

export const DISABLE_KEY: Document<DisableKeyResult, DisableKeyVariables> = {
  text: 'mutation DisableKey($input: DisableApiKeyInput!) { disableApiKey(input: $input) { apiKey { id } } }',
};

export interface EnableKeyResult {
  enableApiKey: { apiKey: { id: string } };
}

export interface EnableKeyVariables {
  input: EnableApiKeyInput;
}

export const ENABLE_KEY: Document<EnableKeyResult, EnableKeyVariables> = {
  text: 'mutation EnableKey($input: EnableApiKeyInput!) { enableApiKey(input: $input) { apiKey { id } } }',
};

export interface ResetQuotaResult {
  resetQuota: { quota: { windows: { name: QuotaWindowName }[] } };
}

export interface ResetQuotaVariables {
  input: ResetQuotaInput;
}

export const RESET_QUOTA: Document<ResetQuotaResult, ResetQuotaVariables> = {
  text: 'mutation ResetQuota($input: ResetQuotaInput!) { resetQuota(input: $input) { quota { windows { name } } } }',
};

export interface LiftBanResult {
  liftBan: { quota: { ban: { until: string } | null } };
}

export interface LiftBanVariables {
  input: LiftBanInput;
}

export const LIFT_BAN: Document<LiftBanResult, LiftBanVariables> = {
  text: 'mutation LiftBan($input: LiftBanInput!) { liftBan(input: $input) { quota { ban { until } } } }',
};
