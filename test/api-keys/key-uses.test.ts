import type { ApiKeysStore, KeyUse } from '../../src/api-keys/api-keys-store.js';
import { createKeyUses } from '../../src/api-keys/key-uses.js';
import { adminKey, openKeyStore } from '../support/key-store.js';

const HOUR_MS = 3_600_000;
const AT = Date.parse('2029-06-15T12:00:00.000Z');

let store: ApiKeysStore;
let close: () => Promise<void>;
let writes: number;
let failing: boolean;
let errors: unknown[];

beforeAll(async () => {
  ({ store, close } = await openKeyStore());
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

  test('is written with the next write when one failed; what came later wins', async () => {
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
