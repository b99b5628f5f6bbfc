import fc from 'fast-check';
import { createLoadingCache, createReadCache } from '../../src/lib/read-cache.js';

/** A store whose reads end when the test says so. */
function heldStore(values: Record<string, string>) {
  const open: (() => void)[] = [];
  const reads: string[] = [];
  return {
    values,
    reads,
    finish: () => open.splice(0).forEach((end) => end()),
    read: (key: string) => {
      reads.push(key);
      const text = values[key];
      return new Promise<{ text: string } | undefined>((resolve) =>
        open.push(() => resolve(text === undefined ? undefined : { text })),
      );
    },
  };
}
const cacheOver = (store: ReturnType<typeof heldStore>, maxSize = 10) =>
  createReadCache({ read: store.read, maxSize, sizeOf: ({ text }) => text.length, ttlMs: 60_000 });

test('what many ask for at once is read once, and kept', async () => {
  const store = heldStore({ a: 'one' });
  const cache = cacheOver(store);
  const asked = [cache.get('a'), cache.get('a')].map((one) => Promise.resolve(one));
  store.finish();
  expect(await Promise.all(asked)).toEqual([{ text: 'one' }, { text: 'one' }]);
  // At once, without a promise.
  expect(cache.get('a')).toEqual({ text: 'one' });
  expect(store.reads).toEqual(['a']);
});

test('a read that began before a change answers who asked then, and nobody after it', async () => {
  const store = heldStore({ a: 'old' });
  const cache = cacheOver(store);
  const before = cache.get('a');
  store.values['a'] = 'new';
  cache.forget('a');
  const after = cache.get('a');
  store.finish();
  expect(await Promise.all([before, after])).toEqual([{ text: 'old' }, { text: 'new' }]);
  expect(await cache.get('a')).toEqual({ text: 'new' });
});

test.each(['forget', 'changed', 'clear'] as const)(
  'nothing under a key is remembered, until %s',
  async (how) => {
    const store = heldStore({});
    const cache = cacheOver(store);
    const first = cache.get('a');
    store.finish();
    expect([await first, await cache.get('a')]).toEqual([undefined, undefined]);
    expect(store.reads).toHaveLength(1);
    store.values['a'] = 'now';
    if (how === 'forget') cache.forget('a');
    else if (how === 'changed') cache.changed('another record');
    else cache.clear();
    const next = cache.get('a');
    store.finish();
    expect(await next).toEqual({ text: 'now' });
  },
);

test('a failed read is not kept', async () => {
  let fails = true;
  const cache = createReadCache({
    read: () => (fails ? Promise.reject(new Error('down')) : Promise.resolve({})),
    maxSize: 10,
    ttlMs: 60_000,
  });
  await expect(cache.get('a')).rejects.toThrow('down');
  fails = false;
  await expect(cache.get('a')).resolves.toEqual({});
});

test('what is kept has a bound; what is larger is answered all the same', async () => {
  const store = heldStore({ a: 'aaaaaa', b: 'bbbbbb', c: 'c'.repeat(11) });
  const cache = cacheOver(store);
  for (const key of ['a', 'b', 'c', 'b', 'a', 'c']) {
    const asked = cache.get(key);
    store.finish();
    expect(await asked).toEqual({ text: store.values[key] });
  }
  expect(store.reads.join('')).toBe('abcac');
});

/** Values that name the records they were read from. */
interface FromRecords {
  sources: string[];
}

/** A cache of such values, and reads that end when the test says so. */
function cacheOfRecords(maxSize = 100) {
  const cache = createLoadingCache<FromRecords>({
    maxSize,
    ttlMs: 60_000,
    sourcesOf: ({ sources }) => sources,
  });
  const ends: ((value: FromRecords | undefined) => void)[] = [];
  return {
    cache,
    begun: () => ends.length,
    get: (key: string) =>
      Promise.resolve(cache.get(key, () => new Promise((resolve) => void ends.push(resolve)))),
    end: (read: number, ...sources: string[]) => ends[read]?.({ sources }),
    endMissing: (read: number) => ends[read]?.(undefined),
  };
}

test('a change of another record leaves a read under way alone: it is shared and kept', async () => {
  const { cache, get, end, begun } = cacheOfRecords();
  const before = get('a');
  for (let i = 0; i < 1000; i++) cache.changed(`other ${i}`);
  const after = get('a');
  end(0, 'record');
  const value = await before;
  expect(await after).toBe(value);
  expect(await get('a')).toBe(value);
  expect(begun()).toBe(1);
});

test('a change of its record while it is read: who asks after it gets what is read after it', async () => {
  const { cache, get, end, begun } = cacheOfRecords();
  const before = get('a');
  cache.changed('record');
  const after = [get('a'), get('a')];
  end(0, 'record');
  const old = await before;
  end(1, 'record');
  const [value, same] = await Promise.all(after);
  expect(value).not.toBe(old);
  expect(same).toBe(value);
  expect(await get('a')).toBe(value);
  expect(begun()).toBe(2);
});

test('what was missing while something changed is read again, by one read', async () => {
  const { cache, get, end, endMissing, begun } = cacheOfRecords();
  const before = get('a');
  cache.changed('record');
  const after = [get('a'), get('a')];
  endMissing(0);
  expect(await before).toBeUndefined();
  end(1, 'record');
  expect(await Promise.all(after)).toEqual([{ sources: ['record'] }, { sources: ['record'] }]);
  expect(begun()).toBe(2);
});

test('a change counts for a read that was under way, also when many reads have ended since', async () => {
  const { cache, get, end, begun } = cacheOfRecords();
  const before = get('a');
  cache.changed('record');
  for (let i = 1; i <= 1000; i++) {
    const other = get(`other ${i}`);
    end(i, `record ${i}`);
    await other;
  }
  end(0, 'record');
  await before;
  void get('a');
  expect(begun()).toBe(1002);
});

test('a value from several records is forgotten when any of them changes, and no other value is', async () => {
  const { cache, get, end, begun } = cacheOfRecords();
  const values = [get('a'), get('b'), get('c')];
  end(0, 'key 1', 'project 1');
  end(1, 'key 2', 'project 1');
  end(2, 'key 3', 'project 2');
  await Promise.all(values);
  cache.changed('key 1');
  expect(['a', 'b', 'c'].map((key) => cache.peek(key) !== undefined)).toEqual([false, true, true]);
  cache.changed('project 1');
  expect(['a', 'b', 'c'].map((key) => cache.lastKnown(key) !== undefined)).toEqual([false, false, true]);
  const again = get('a');
  end(3, 'key 1', 'project 1');
  const value = await again;
  expect(cache.peek('a')).toBe(value);
  expect(begun()).toBe(4);
});

test('a value without records is forgotten at any change', async () => {
  const { cache, get, end } = cacheOfRecords();
  const first = get('a');
  end(0);
  const value = await first;
  expect(cache.peek('a')).toBe(value);
  cache.changed('any');
  expect(cache.peek('a')).toBeUndefined();
});

test('a value that did not fit, or made room for others, leaves the values of the same record alone', async () => {
  const { cache, get, end } = cacheOfRecords(2);
  const values = ['a', 'b', 'c'].map((key) => get(key));
  for (const i of [0, 1, 2]) end(i, 'record');
  await Promise.all(values);
  expect(['a', 'b', 'c'].map((key) => cache.peek(key) !== undefined)).toEqual([false, true, true]);
  cache.changed('record');
  expect(['b', 'c'].map((key) => cache.peek(key))).toEqual([undefined, undefined]);
});

/** What can happen to a cache over a store whose records change. */
const step = fc.record({
  kind: fc.constantFrom('get', 'get', 'write', 'notice', 'end', 'end', 'clear', 'forget'),
  at: fc.nat(2),
});

test('no answer is older than what was known when it was asked for, in whichever order things happen', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 5, maxLength: 80 }),
    fc.nat(2),
    async (steps, maxSize) => {
      // Key 0 has a value from the records 0 and 2, and key 1 from 1 and 2; while record 0 or 1 has an odd version, its key is missing.
      const written = [0, 0, 0];
      let known = [0, 0, 0];
      const cache = createLoadingCache<{ versions: readonly number[]; sources: string[] }>({
        maxSize: maxSize + 1,
        ttlMs: 60_000,
        sourcesOf: ({ sources }) => sources,
      });
      const ends: (() => void)[] = [];
      const answers: Promise<void>[] = [];
      const version = (versions: readonly number[], record: number) => versions[record] ?? 0;

      async function get(key: number): Promise<void> {
        const knownThen = [...known];
        const value = await cache.get(`${key}`, () => {
          const versions = [...written];
          const isMissing = version(versions, key) % 2 === 1;
          return new Promise((resolve) =>
            ends.push(() => resolve(isMissing ? undefined : { versions, sources: [`${key}`, '2'] })),
          );
        });
        if (value === undefined) {
          const wasMissing =
            version(knownThen, key) % 2 === 1 || version(written, key) > version(knownThen, key);
          expect(wasMissing).toBe(true);
        } else
          for (const record of [key, 2])
            expect(version(value.versions, record)).toBeGreaterThanOrEqual(version(knownThen, record));
      }
      const happen = {
        get: (at: number) => void answers.push(get(at % 2)),
        write: (at: number) => void (written[at] = version(written, at) + 1),
        notice(at: number) {
          known[at] = version(written, at);
          cache.changed(`${at}`);
        },
        end: (at: number) => ends.splice(at, 1).forEach((end) => end()),
        forget: (at: number) => cache.forget(`${at}`),
        clear() {
          known = [...written];
          cache.clear();
        },
      };
      for (const { kind, at } of steps) {
        happen[kind](at);
        await new Promise(setImmediate);
      }
      while (ends.length > 0) {
        ends.splice(0).forEach((end) => end());
        await new Promise(setImmediate);
      }
      await Promise.all(answers);
    },
  );
  await fc.assert(property, { numRuns: 500 });
});
