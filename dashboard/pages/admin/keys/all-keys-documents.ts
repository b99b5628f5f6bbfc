// Made from all-keys-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../../api/document.js';
import type { ApiKeyFilter, ApiKeyOrder } from '../../../api/schema-types.js';
import type { KeyWithProject } from '../../keys/key-documents.js';

export interface AllKeysResult {
  apiKeys: { edges: { node: KeyWithProject }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

export interface AllKeysVariables {
  filter?: ApiKeyFilter | null | undefined;
  orderBy?: ApiKeyOrder | null | undefined;
  after?: string | null | undefined;
}

export const ALL_KEYS: Document<AllKeysResult, AllKeysVariables> = {
  text: 'query AllKeys($filter: ApiKeyFilter, $orderBy: ApiKeyOrder, $after: String) { apiKeys(first: 20, filter: $filter, orderBy: $orderBy, after: $after) { edges { node { ...KeyWithProject } } pageInfo { hasNextPage endCursor } } } fragment KeyWithProject on ApiKey { ...ApiKey project { id name plan { name } } } fragment ApiKey on ApiKey { id name start role state allowedOrigins createdAt expiresAt lastUsedAt quota { ...QuotaUse ban { ...Ban } strikes { ...Strikes } } } fragment QuotaUse on Quota { isStoreDown windows { ...QuotaWindow } } fragment QuotaWindow on QuotaWindow { name limit used resetAt } fragment Ban on Ban { until offences } fragment Strikes on Strikes { count left }',
};
