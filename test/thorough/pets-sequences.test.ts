import { startFleet } from '../support/fleet.js';
import { useStarted } from '../support/gateway.js';
import {
  graphQLPets,
  restPets,
  type PetClient,
  type PetState,
  type ShownPet,
} from '../support/pet-client.js';
import { AMPLE } from '../support/rest-client.js';
import { randomFrom } from '../support/retry-policies.js';

/**
 * Random sequences of operations over both interfaces and three processes, each operation somewhere else, compared with
 * a model. `SEQUENCES_SEED` repeats a run, `SEQUENCES_STEPS` makes it longer.
 */
const SEED = Number(process.env['SEQUENCES_SEED'] ?? Date.now() % 1_000_000);
const STEPS = Number(process.env['SEQUENCES_STEPS'] ?? '150');
const SHELTERS = 6;
const STATUSES = ['available', 'pending', 'sold'] as const;

const fleet = useStarted(() => startFleet(3));

/** The animals of one shelter, which nobody else may change: so each response is known before. */
type Model = Map<bigint, PetState>;

async function shelter(random: () => number) {
  const { secret } = await fleet.office.keyOn('enterprise', AMPLE);
  const any = (): PetClient => {
    const { url } = pick(random, fleet.processes);
    return pick(random, [restPets, graphQLPets])({ url, secret });
  };
  return { any, secret, model: new Map() as Model, gone: [] as bigint[] };
}
type Shelter = Awaited<ReturnType<typeof shelter>>;

function pick<T>(random: () => number, from: readonly T[]): T {
  const chosen = from[Math.floor(random() * from.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
}

function anyState(random: () => number): PetState {
  const name = `n${Math.floor(random() * 1000)}`;
  const categoryId = pick(random, [0n, 7n, -1n, 2n ** 63n - 1n, 2n ** 53n + 1n]);
  return { name, categoryId, status: pick(random, STATUSES) };
}

function someOf(random: () => number, state: PetState): Partial<PetState> {
  const fields = Object.entries(state).filter(() => random() < 0.5);
  return fields.length > 0 ? Object.fromEntries(fields) : { status: state.status };
}

const shown = (id: bigint, state: PetState): ShownPet => ({ id, ...state });

/** One operation of one shelter, with the response that the model predicts. */
async function step(one: Shelter, others: readonly Shelter[], random: () => number): Promise<void> {
  const { any, model, gone } = one;
  const ids = [...model.keys()];
  const kind = ids.length === 0 ? 'create' : pick(random, KINDS);
  const id = ids.length === 0 ? 0n : pick(random, ids);
  const now = model.get(id) ?? anyState(random);
  const changes = someOf(random, anyState(random));
  switch (kind) {
    case 'create': {
      const state = anyState(random);
      const { code, pet } = await any().create(state);
      expect({ code, pet }).toEqual({ code: 'ok', pet: shown(pet?.id ?? -1n, state) });
      model.set(pet?.id ?? -1n, state);
      return;
    }
    case 'read':
      expect(await any().read(id)).toEqual({ code: 'ok', pet: shown(id, now) });
      return;
    case 'update':
    case 'update what was seen': {
      const client = any();
      const condition = kind === 'update' ? undefined : await client.conditionOf(id, now);
      model.set(id, { ...now, ...changes });
      expect(await client.update(id, changes, condition)).toEqual({
        code: 'ok',
        pet: shown(id, { ...now, ...changes }),
      });
      return;
    }
    case 'update what has passed':
    case 'remove what has passed': {
      const client = any();
      const condition = await client.conditionOf(id, { ...now, name: `${now.name} before` });
      const answer = kind.startsWith('update')
        ? await client.update(id, changes, condition)
        : await client.remove(id, condition);
      expect(answer).toEqual({ code: 'precondition_failed', state: now });
      return;
    }
    case 'remove': {
      const client = any();
      const condition = random() < 0.5 ? await client.conditionOf(id, now) : undefined;
      expect(await client.remove(id, condition)).toEqual({ code: 'ok' });
      model.delete(id);
      gone.push(id);
      return;
    }
    case 'what is gone': {
      const removed = gone.length === 0 ? 2n ** 62n : pick(random, gone);
      const answer = [
        await any().read(removed),
        await any().update(removed, changes),
        await any().remove(removed),
      ];
      expect(answer).toEqual(Array(3).fill({ code: 'pet_not_found' }));
      return;
    }
    case 'somebody else’s': {
      const theirs = [...pick(random, others).model.keys()];
      if (theirs.length === 0) return;
      const foreign = pick(random, theirs);
      const answer = random() < 0.5 ? await any().update(foreign, changes) : await any().remove(foreign);
      // Its shelter may remove it meanwhile.
      expect(['forbidden', 'pet_not_found']).toContain(answer.code);
      return;
    }
  }
}
const KINDS = [
  ...['create', 'read', 'read', 'update', 'update', 'update what was seen', 'update what has passed'],
  ...['remove', 'remove what has passed', 'what is gone', 'somebody else’s'],
] as const;

test(`six shelters change their animals at once, over both interfaces and on three processes (seed ${SEED})`, async () => {
  const random = randomFrom(SEED);
  const shelters = await Promise.all(Array.from({ length: SHELTERS }, () => shelter(random)));
  await Promise.all(
    shelters.map(async (one, i) => {
      // Each has its own numbers, so that a seed repeats its sequence however the others are timed.
      const own = randomFrom(SEED + 1 + i);
      const others = shelters.filter((other) => other !== one);
      for (let done = 0; done < STEPS; done += 1) await step(one, others, own);
    }),
  );
  for (const { model, any } of shelters)
    for (const [id, state] of model)
      expect(await any().read(id)).toEqual({ code: 'ok', pet: shown(id, state) });
}, 240_000);

test('of changes that each name the state they saw, none overwrites another', async () => {
  const { secret } = await fleet.office.keyOn('enterprise', AMPLE);
  const clients = fleet.processes.flatMap(({ url }) => [
    restPets({ url, secret }),
    graphQLPets({ url, secret }),
  ]);
  const [first] = clients;
  const { pet } = (await first?.create({ name: 'counter', categoryId: 0n, status: 'available' })) ?? {};
  const id = pet?.id ?? 0n;
  const EACH = 10;
  // Each client adds 1 ten times, however often somebody else comes first.
  await Promise.all(
    clients.map(async (client) => {
      for (let done = 0; done < EACH;) {
        const { pet: seen } = await client.read(id);
        if (seen === undefined) throw new Error('the pet is gone');
        const { id: _id, ...state } = seen;
        const condition = await client.conditionOf(id, state);
        const { code } = await client.update(id, { categoryId: state.categoryId + 1n }, condition);
        if (code === 'ok') done += 1;
        else expect(code).toBe('precondition_failed');
      }
    }),
  );
  expect(await first?.read(id)).toMatchObject({ pet: { categoryId: BigInt(clients.length * EACH) } });
}, 120_000);
