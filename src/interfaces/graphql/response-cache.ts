import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { stripIgnoredCharacters } from 'graphql';
import type { Clock } from '../../lib/clock.js';
import { noStatistics } from '../../lib/cache-statistics.js';
import type { Answer } from './answer.js';
import type { Prepared } from './prepare.js';
import { variablesKeyOf } from './variables-key.js';

/** The data of a response, shared by all clients that send the same query within MAX_AGE_MS. */
export interface CachedResponse {
  /** As JSON. */
  data: string;
  readAtMs: number;
}

export interface ResponseCache {
  /**
   * Returns the cached response to this operation, or a promise of the response under way, which resolves to undefined
   * if that response fails.
   */
  find(key: string): CachedResponse | Promise<CachedResponse | undefined> | undefined;
  /** Runs the operation for all clients that `find` it meanwhile, and caches the response if it has no error. */
  keep(key: string, run: () => Promise<Answer>): Promise<Answer>;
}

export const MAX_AGE_MS = 10_000;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** Size of an entry without its data: the key and the map's overhead. */
const ENTRY_BYTES = 200;

/** Caches responses to queries of all visitors of all sites. The key tells apart sites that show different pets. */
export function createResponseCache(clock: Clock, cacheStatistics = noStatistics()): ResponseCache {
  const kept = new LRUCache<string, CachedResponse>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ data }) => data.length * 2 + ENTRY_BYTES,
  });
  const underWay = new Map<string, Promise<CachedResponse | undefined>>();

  function fresh(key: string): CachedResponse | undefined {
    const found = kept.get(key);
    if (found === undefined) return undefined;
    const ageMs = clock() - found.readAtMs;
    // A negative age means that the clock was set back.
    return ageMs >= 0 && ageMs < MAX_AGE_MS ? found : undefined;
  }

  return {
    find(key) {
      const found = fresh(key) ?? underWay.get(key);
      cacheStatistics[found === undefined ? 'misses' : 'hits'] += 1;
      return found;
    },
    async keep(key, run) {
      // Taken before the read, so that no response is older than its Age header says.
      const readAtMs = clock();
      const answer = run();
      const shared = answer.then(
        ({ data, dataJson = JSON.stringify(data), errors }) =>
          data == null || errors !== undefined ? undefined : { data: dataJson, readAtMs },
        () => undefined,
      );
      underWay.set(key, shared);
      const result = await shared;
      if (underWay.get(key) === shared) underWay.delete(key);
      if (result !== undefined) kept.set(key, result);
      return answer;
    },
  };
}

/**
 * Returns the same key for equal requests, by the document's tokens and the values of the operation's own variables;
 * undefined if there is no operation.
 * @param audience see audienceOf
 */
export function keyOf({ request, operation }: Prepared, audience: string): string | undefined {
  if (operation === undefined) return undefined;
  const asked = [
    audience,
    stripIgnoredCharacters(request.query),
    request.operationName,
    variablesKeyOf(operation, request.variables),
  ];
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64url');
}
