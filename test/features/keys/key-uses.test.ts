import type { ApiKeysStore, KeyUse } from '../../../src/features/keys/api-keys-store.js';
import { createKeyUses } from '../../../src/features/keys/key-uses.js';
import type { WindowState } from '../../../src/features/plans/window.js';
import { adminKey } from '../../support/admin-key.js';
import { openKeyStore } from '../../support/key-store.js';

const HOUR_MS = 3_600_000;
const AT = Date.parse('2029-06-15T12:00:00.000Z');

let store: ApiKeysStore;
let close: () => Promise<void>;
let writes: number;
let failing: boolean;
let errors: unknown[];

beforeAll(async () => {
  ({ store, close } = await openKeyStore(() => AT));
});
afterAll(() => close());
beforeEach(() => {
  writes = 0;
  failing = false;
  errors = [];
});

function keyUses() {
  const recordUse = (uses: readonly KeyUse[]) => {
    writes += 1;
    return failing ? Promise.reject(new Error('cut')) : store.recordUse(uses);
  };
  return createKeyUses({ recordUse }, HOUR_MS, (error) => void errors.push(error));
}

async function insert(): Promise<string> {
  const { key } = adminKey();
  await store.insert(key, undefined);
  return key.id;
}
const lastUsedAt = async (id: string) => (await store.get(id))?.lastUsedAt?.getTime();

describe('when keys were last used', () => {
  test('is written for all keys in one write, not with each request', async () => {
    const uses = keyUses();
    const ids = [await insert(), await insert()];
    for (let i = 0; i < 100; i++) for (const id of ids) uses.note(id, AT + i);
    expect(await Promise.all(ids.map(lastUsedAt))).toEqual([undefined, undefined]);
    await uses.flush();
    expect(await Promise.all(ids.map(lastUsedAt))).toEqual([AT + 99, AT + 99]);
    expect(writes).toBe(1);
    await uses.close();
  });

  test('is not written when nothing was used', async () => {
    const uses = keyUses();
    await uses.flush();
    await uses.close();
    expect(writes).toBe(0);
  });

  test('is written at the end', async () => {
    const uses = keyUses();
    const id = await insert();
    uses.note(id, AT);
    await uses.close();
    expect(await lastUsedAt(id)).toBe(AT);
  });

  test('is written with the next write after a failure; the latest value wins', async () => {
    const uses = keyUses();
    const [first, second] = [await insert(), await insert()];
    uses.note(first, AT);
    uses.note(second, AT);
    failing = true;
    const written = uses.flush();
    uses.note(second, AT + 5);
    await written;
    failing = false;
    await uses.flush();
    expect(await Promise.all([first, second].map(lastUsedAt))).toEqual([AT, AT + 5]);
    expect(errors).toHaveLength(1);
    await uses.close();
  });

  test('never goes back, as from a node that writes late', async () => {
    const uses = keyUses();
    const id = await insert();
    await store.recordUse([{ keyId: id, lastUsedAt: new Date(AT + 10) }]);
    uses.note(id, AT);
    await uses.close();
    expect(await lastUsedAt(id)).toBe(AT + 10);
  });
});

describe('the state of a key after a charge', () => {
  const day = (used: number, limit: number): WindowState[] => [
    { name: 'minute', limit: 1, used: 1, remaining: 0, resetAtMs: undefined },
    { name: 'day', limit, used, remaining: limit - used, resetAtMs: undefined },
  ];
  const after = (id: string, epoch = 0) => ({ id, epochs: { minute: 0, day: epoch } });

  test('is written with its use, and a later use without a charge keeps it', async () => {
    const uses = keyUses();
    const id = await insert();
    uses.noteWindows(after(id), day(7, 100), AT);
    uses.note(id, AT + 1);
    await uses.close();
    expect(await store.get(id)).toMatchObject({ usageToday: 7, lastUsedAt: new Date(AT + 1) });
  });

  test.each([
    [79, false],
    [80, true],
    [100, true],
  ])('says of %d of 100 requests of the day whether that is near the limit: %p', async (used, near) => {
    const uses = keyUses();
    const id = await insert();
    uses.noteWindows(after(id), day(used, 100), AT);
    await uses.close();
    const { entries } = await store.page({
      first: 100,
      filter: { nearLimit: true },
      orderBy: 'createdAt',
      nowMs: AT,
    });
    expect(entries.some(({ key }) => key.id === id)).toBe(near);
  });

  test('is dropped when the day was reset in the meantime', async () => {
    const uses = keyUses();
    const id = await insert();
    uses.noteWindows(after(id), day(7, 100), AT);
    await store.raiseEpochs(id, ['day']);
    await uses.flush();
    expect((await store.get(id))?.usageToday).toBe(0);
    uses.noteWindows(after(id, 1), day(1, 100), AT);
    await uses.close();
    expect((await store.get(id))?.usageToday).toBe(1);
  });

  test('writes nothing for a key without a day', async () => {
    const uses = keyUses();
    uses.noteWindows(after(await insert()), day(1, 100).slice(0, 1), AT);
    await uses.close();
    expect(writes).toBe(0);
  });
});

describe('the timer', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const countedWrites = () => {
    const recordUse = () => {
      writes += 1;
      return Promise.resolve();
    };
    const uses = createKeyUses({ recordUse }, HOUR_MS, (error) => void errors.push(error));
    uses.start();
    return uses;
  };

  test('writes again and again without being asked', async () => {
    const uses = countedWrites();
    for (const round of [1, 2]) {
      uses.note('key_a', AT);
      await jest.advanceTimersByTimeAsync(HOUR_MS);
      expect(writes).toBe(round);
    }
    await uses.close();
  });

  test('stops with the gateway: later uses are lost', async () => {
    const [closed, abandoned] = [countedWrites(), countedWrites()];
    await closed.close();
    closed.note('key_a', AT);
    abandoned.note('key_b', AT);
    abandoned.abandon();
    await jest.advanceTimersByTimeAsync(10 * HOUR_MS);
    expect(writes).toBe(0);
  });
});
