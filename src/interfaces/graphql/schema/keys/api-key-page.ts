import type { ApiKeysService } from '../../../../features/keys/api-keys-service.js';
import type { ApiKeyOrder, ApiKeysFilter } from '../../../../features/keys/api-keys-store.js';
import type { Clock } from '../../../../lib/clock.js';
import { checkPageSize, PAGE_SIZE } from '../../../../lib/page-size.js';
import type { HeavyRead } from '../../heavy-reads.js';
import { ApiKeyConnectionType } from './api-key-types.js';

export interface ApiKeyPageArguments {
  first: number | null;
  after: string | null | undefined;
  filter: ApiKeysFilter;
  orderBy?: ApiKeyOrder | null;
}

/** @throws ApiError invalid_request */
export async function apiKeyPage(
  { apiKeys, clock }: { apiKeys: Pick<ApiKeysService, 'page'>; clock: Clock },
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
  return ApiKeyConnectionType.of(page, after != null, clock);
}
