import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { stripIgnoredCharacters } from 'graphql';
import type { Clock } from '../../lib/clock.js';
import { noStatistics } from '../../lib/cache-statistics.js';
import type { JsonValue } from '../../lib/parse-json.js';
import type { Answer } from './answer.js';
import type { Prepared } from './prepare.js';

/** The data of an answer, for everybody who asks the same within MAX_AGE_MS. */
export interface CachedResponse {
  /** As JSON. */
  data: string;
  readAtMs: number;
}

export interface ResponseCache {
  /** The answer to this operation, or a promise of the one that is on its way: undefined when that has failed. */
  find(key: string): CachedResponse | Promise<CachedResponse | undefined> | undefined;
  /** Runs it, for all who `find` it meanwhile, and keeps the answer if it has no error. */
  keep(key: string, run: () => Promise<Answer>): Promise<Answer>;
}

export const MAX_AGE_MS = 10_000;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** Of an entry beside its data: the key and what the map holds. */
const ENTRY_BYTES = 200;

/** Answers to the queries of all visitors of all sites: what they ask for is the same catalogue. */
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
    // Below zero: the clock was set back since.
    return ageMs >= 0 && ageMs < MAX_AGE_MS ? found : undefined;
  }

  return {
    find(key) {
      const found = fresh(key) ?? underWay.get(key);
      cacheStatistics[found === undefined ? 'misses' : 'hits'] += 1;
      return found;
    },
    async keep(key, run) {
      // Before it is read, so that nothing is ever older than it is said to be.
      const readAtMs = clock();
      const answer = run();
      const shared = answer.then(
        ({ data, errors }) =>
          data == null || errors !== undefined ? undefined : { data: JSON.stringify(data), readAtMs },
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

/** The same for all requests that ask for the same: tokens and the values of the operation's own variables. */
export function keyOf({ request, operation }: Prepared): string | undefined {
  if (operation === undefined) return undefined;
  const names = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  // One that is not given is not null: it has its default.
  const values = names.map((name) =>
    Object.hasOwn(request.variables, name) ? [request.variables[name]] : [],
  );
  const asked = [stripIgnoredCharacters(request.query), request.operationName ?? null, values];
  return createHash('sha256').update(JSON.stringify(asked, exactly)).digest('base64url');
}

/** JSON has no integers past 2^53, and no text must look like one. */
function exactly(_name: string, value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return `n${value}`;
  return typeof value === 'string' ? `s${value}` : value;
}
