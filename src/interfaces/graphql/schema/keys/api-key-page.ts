import type { ApiKey } from '../../../../features/keys/api-key.js';
import type { ApiKeysService } from '../../../../features/keys/api-keys-service.js';
import type { ApiKeyOrder, ApiKeysFilter } from '../../../../features/keys/api-keys-store.js';
import { KEY_USE_INTERVAL_MS } from '../../../../features/keys/key-uses.js';
import type { Clock } from '../../../../lib/clock.js';
import { checkPageSize, PAGE_SIZE } from '../../../../features/pets/page.js';
import type { HeavyRead } from '../../heavy-reads.js';
import { ApiKeyConnectionType, ApiKeyType } from './api-key-types.js';

/**
 * Returns the GraphQL type of a key. Uses older than KEY_USE_INTERVAL_MS have been written to the store: `asOf`
 * promises that.
 */
export type ApiKeyTypes = (key: ApiKey) => ApiKeyType;

export function createApiKeyTypes(clock: Clock): ApiKeyTypes {
  return (key) => ApiKeyType.of(key, clock(), clock() - KEY_USE_INTERVAL_MS);
}

export interface ApiKeyPageArguments {
  first: number | null;
  after: string | null | undefined;
  filter: ApiKeysFilter;
  orderBy?: ApiKeyOrder | null;
}

/** @throws ApiError invalid_request */
export async function apiKeyPage(
  apiKeys: Pick<ApiKeysService, 'page'>,
  toType: ApiKeyTypes,
  heavyRead: HeavyRead,
  { first, after, filter, orderBy }: ApiKeyPageArguments,
): Promise<ApiKeyConnectionType> {
  const query = {
    first: checkPageSize(first ?? PAGE_SIZE.default, 'first'),
    after: after ?? undefined,
    filter,
    orderBy: orderBy ?? 'createdAt',
  };
  const page = await heavyRead(() => apiKeys.page(query));
  return ApiKeyConnectionType.of(page, after != null, toType);
}
