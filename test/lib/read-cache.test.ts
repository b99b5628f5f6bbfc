import { createReadCache } from '../../src/lib/read-cache.js';

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

test.each(['forget', 'forgetWhere', 'clear'] as const)(
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
    else if (how === 'forgetWhere') cache.forgetWhere(() => false);
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
