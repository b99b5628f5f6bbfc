import fc from 'fast-check';
import type { PetsPage } from '../../../src/features/pets/page.js';
import type { PetsStore } from '../../../src/features/pets/pets-store.js';
import {
  allLayers,
  coalescedReads,
  mongoPets,
  type Layer,
  type MongoPets,
} from '../../support/pets-stores.js';

type Step = { do: 'create' } | { do: 'list'; limit: number } | { do: 'get' } | { do: 'getMany' };

const step = fc.oneof(
  { arbitrary: fc.constant<Step>({ do: 'create' }), weight: 2 },
  { arbitrary: fc.constantFrom<Step[]>({ do: 'list', limit: 3 }, { do: 'list', limit: 100 }), weight: 2 },
  { arbitrary: fc.constantFrom<Step[]>({ do: 'get' }, { do: 'getMany' }), weight: 1 },
);
/** What some clients do, each one thing after another. */
const clients = fc.array(fc.array(step, { minLength: 3, maxLength: 8 }), { minLength: 3, maxLength: 6 });

/** The store on a slow wire: a call waits for its turn to reach MongoDB, and its answer for its turn to arrive. */
function onSlowWire(store: PetsStore, scheduler: fc.Scheduler) {
  const inMongo = new Set<Promise<unknown>>();
  const turn = () => scheduler.schedule(Promise.resolve());
  const slow = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    await turn();
    const answer = call();
    inMongo.add(answer);
    await answer.finally(() => inMongo.delete(answer));
    await turn();
    return answer;
  };
  const slowStore: PetsStore = {
    ...store,
    list: (query) => slow(() => store.list(query)),
    get: (id) => slow(() => store.get(id)),
    getMany: (ids) => slow(() => store.getMany(ids)),
    reserveIds: (count) => slow(() => store.reserveIds(count)),
    insert: (pet) => slow(() => store.insert(pet)),
    insertEach: (pets) => slow(() => store.insertEach(pets)),
  };
  /** One turn after another, each only once MongoDB is idle: so there is always a choice of whose turn it is. */
  async function takeTurnsUntil(end: Promise<unknown>): Promise<void> {
    const clients = { done: false };
    void end.finally(() => (clients.done = true));
    while (!clients.done) {
      await Promise.allSettled(inMongo);
      await new Promise(setImmediate);
      if (inMongo.size === 0 && scheduler.count() > 0) await scheduler.waitNext(1);
    }
  }
  return { slowStore, takeTurnsUntil };
}

/** The ids that a page should hold and does not: all of them, but for those after a full page. */
function missing({ pets, hasMore }: PetsPage, expected: readonly bigint[]): bigint[] {
  const held = new Set(pets.map(({ id }) => id));
  const end = hasMore ? pets.at(-1)?.id : undefined;
  return expected.filter((id) => !held.has(id) && (end === undefined || id < end));
}

let mongo: MongoPets;
beforeAll(async () => {
  mongo = await mongoPets();
});
afterAll(() => mongo.close());

async function run(
  store: PetsStore,
  steps: readonly Step[],
  { afterId, acknowledged }: { afterId: bigint; acknowledged: bigint[] },
): Promise<bigint[]> {
  const lost: bigint[] = [];
  for (const step of steps) {
    const before = [...acknowledged];
    if (step.do === 'create') {
      const id = await store.reserveId();
      await store.insert({ id, name: 'Rex', categoryId: 1n, status: 'sold', createdAt: new Date(0) });
      acknowledged.push(id);
    } else if (step.do === 'list')
      lost.push(...missing(await store.list({ limit: step.limit, afterId }), before));
    else {
      const found =
        step.do === 'getMany'
          ? await store.getMany(before)
          : await Promise.all(before.map((id) => store.get(id)));
      lost.push(...before.filter((_, i) => found[i] === undefined));
    }
  }
  return lost;
}

test.each<[string, Layer]>([
  ['coalesced reads', coalescedReads],
  ['all that is in services.ts', allLayers],
])(
  '%s: a read has every pet whose create was acknowledged before it started, in whatever order calls and responses travel',
  (_, layer) =>
    fc.assert(
      fc.asyncProperty(clients, fc.scheduler(), async (planned, scheduler) => {
        const { slowStore, takeTurnsUntil } = onSlowWire(mongo.store, scheduler);
        const store = layer(slowStore);
        const seen = { afterId: await mongo.store.reserveId(), acknowledged: [] as bigint[] };
        const ended = Promise.all(planned.map((steps) => run(store, steps, seen)));
        await takeTurnsUntil(ended);
        const lost = await ended;
        expect(lost.flat()).toEqual([]);
      }),
      { numRuns: 25 },
    ),
);
