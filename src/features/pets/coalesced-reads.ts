import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { PetsPage, PetsQuery } from './page.js';
import type { PetsStore } from './pets-store.js';
import { createBatcher } from './batcher.js';

const MAX_IDS_PER_QUERY = 500;
/** Bounds the memory of lists. One that is forgotten while it is in use shares less, nothing else. */
const MAX_LISTS = 1000;

type AskForPage = (limit: number) => Promise<PetsPage>;

/**
 * Reads that arrive while one of their kind is on its way share the next one. A query is only shared by those who
 * arrived before it was sent, so each still sees every create that was acknowledged before it began.
 *
 * Lists that differ only in `limit` are the beginnings of one list: they share the longest. Ids become one query,
 * whoever asks for them. Those who share a page get the same object, so that it can be rendered once.
 */
export function withCoalescedReads(store: PetsStore, clock: Clock): PetsStore {
  const lists = new LRUCache<string, AskForPage>({ max: MAX_LISTS });

  function listFrom(place: Omit<PetsQuery, 'limit'>): AskForPage {
    const key = `${place.status ?? ''} ${place.afterId ?? ''}`;
    const known = lists.get(key);
    if (known !== undefined) return known;
    const ask = createBatcher<number, PetsPage>(
      {
        send: async (limits) =>
          beginningsOf(await store.list({ ...place, limit: Math.max(...limits) }), limits),
        // One more who asks makes the query no larger; so many could not wait at once.
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

/** The page of each limit, cut from the longest; one object for each limit. */
function beginningsOf(longest: PetsPage, limits: readonly number[]): PetsPage[] {
  const pages = new Map<number, PetsPage>();
  return limits.map((limit) => {
    const page = pages.get(limit) ?? beginningOf(longest, limit);
    pages.set(limit, page);
    return page;
  });
}

function beginningOf({ pets, hasMore }: PetsPage, limit: number): PetsPage {
  return { pets: pets.slice(0, limit), hasMore: hasMore || pets.length > limit };
}
