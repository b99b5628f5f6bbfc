import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { PetsPage, PetsQuery } from './page.js';
import type { PetsStore } from './pets-store.js';
import { createBatcher } from '../../lib/batcher.js';

const MAX_IDS_PER_QUERY = 500;
/** Limits the memory for lists. Evicting a list in use only reduces sharing. */
const MAX_LISTS = 1000;

type AskForPage = (limit: number) => Promise<PetsPage>;

/**
 * Reads that arrive during a read of the same kind share the next read. Only requests that arrived before a query was
 * sent share it, so each still sees every create that was acknowledged before the request began.
 *
 * Lists that differ only in `limit` are prefixes of one list and share the longest query. Ids from all requests form
 * one query. Requests that share a page get the same object, so that it is rendered once.
 */
export function withCoalescedReads(store: PetsStore, clock: Clock): PetsStore {
  const lists = new LRUCache<string, AskForPage>({ max: MAX_LISTS });

  function listFrom(place: Omit<PetsQuery, 'limit'>): AskForPage {
    const key = keyOf(place);
    const known = lists.get(key);
    if (known !== undefined) return known;
    const ask = createBatcher<number, PetsPage>(
      {
        send: async (limits) =>
          beginningsOf(await store.list({ ...place, limit: Math.max(...limits) }), limits),
        // Another request does not make the query larger, and this many requests cannot wait at once.
        sizeOf: () => 1,
        maxSize: 10_000,
      },
      clock,
    );
    lists.set(key, ask);
    return ask;
  }

  const getMany = createBatcher<readonly bigint[], Awaited<ReturnType<PetsStore['getMany']>>>(
    {
      async send(requests) {
        const ids = [...new Set(requests.flat())];
        const pets = await store.getMany(ids);
        const byId = new Map(ids.map((id, i) => [id, pets[i]]));
        return requests.map((asked) => asked.map((id) => byId.get(id)));
      },
      sizeOf: (ids) => ids.length,
      maxSize: MAX_IDS_PER_QUERY,
    },
    clock,
  );

  return {
    ...store,
    list: ({ limit, ...place }) => listFrom(place)(limit),
    get: async (id) => (await getMany([id]))[0],
    getMany,
  };
}

/** Cuts the page of each limit from the longest page; requests with the same limit get the same object. */
function beginningsOf(longest: PetsPage, limits: readonly number[]): PetsPage[] {
  const pages = new Map<number, PetsPage>();
  return limits.map((limit) => {
    const page = pages.get(limit) ?? beginningOf(longest, limit);
    pages.set(limit, page);
    return page;
  });
}

function beginningOf(longest: PetsPage, limit: number): PetsPage {
  const { pets, hasMore } = longest;
  return pets.length > limit ? { pets: pets.slice(0, limit), hasMore: true } : { ...longest, hasMore };
}

/** Every member of a query, in a fixed order. */
function keyOf(place: Omit<PetsQuery, 'limit'>): string {
  const { status, categoryId, nameContains, projectId, externalId, afterId, afterTime, orderBy, isBackward } =
    place;
  const start = `${status ?? ''} ${afterId ?? ''}`;
  if (
    orderBy === undefined &&
    projectId === undefined &&
    categoryId === undefined &&
    nameContains === undefined &&
    externalId === undefined
  )
    return isBackward === true ? `${start} <` : start;
  // Not an array: JSON would make undefined and null the same.
  const rest = { orderBy, isBackward, projectId, nameContains, externalId };
  return `${start} ${categoryId ?? ''} ${afterTime?.getTime() ?? ''} ${JSON.stringify(rest)}`;
}
