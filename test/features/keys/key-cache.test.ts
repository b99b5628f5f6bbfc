import type { Caller } from '../../../src/features/keys/caller.js';
import { createCaller } from '../../../src/features/keys/caller.js';
import { createKeyCache } from '../../../src/features/keys/key-cache.js';
import { adminKey } from '../../support/admin-key.js';
import { until } from '../../support/until.js';
import { withResolvers } from '../../support/with-resolvers.js';

const HOUR_MS = 3_600_000;

function callerOf(projectId?: string): Caller {
  const { key } = adminKey();
  return createCaller({ ...key, projectId }, undefined, 60, 'hash');
}

/** A load that is counted, and that answers on command. */
function slowLoad<T>() {
  const { promise, resolve, reject } = withResolvers<T>();
  const load = Object.assign(
    () => {
      load.count += 1;
      return promise;
    },
    { count: 0, resolve, reject },
  );
  return load;
}

/** A load that is counted and answers at once. */
function load<T>(answer: T) {
  const counted = Object.assign(
    () => {
      counted.count += 1;
      return Promise.resolve(answer);
    },
    { count: 0 },
  );
  return counted;
}

const newCache = (max = 100, ttlMs = HOUR_MS) => createKeyCache({ max, ttlMs });

describe('the cache of callers', () => {
  test('reads once for a hundred concurrent requests', async () => {
    const cache = newCache();
    const read = slowLoad<Caller>();
    const asked = Array.from({ length: 100 }, () => cache.find('hash', read));
    const caller = callerOf();
    read.resolve(caller);
    expect(new Set(await Promise.all(asked))).toEqual(new Set([caller]));
    expect(await cache.find('hash', read)).toBe(caller);
    expect(read.count).toBe(1);
  });

  test('remembers that a key is unknown', async () => {
    const cache = newCache();
    const read = load(undefined);
    for (let i = 0; i < 10; i++) expect(await cache.find('hash', read)).toBeUndefined();
    expect(read.count).toBe(1);
  });

  test('caches no error: all waiting requests get it, and the next one asks again', async () => {
    const cache = newCache();
    const failing = slowLoad<Caller>();
    const asked = Promise.allSettled([cache.find('hash', failing), cache.find('hash', failing)]);
    failing.reject(new Error('the store is down'));
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const caller = callerOf();
    expect(await cache.find('hash', load(caller))).toBe(caller);
  });

  test('is bounded: drops the least recently used caller first', async () => {
    const cache = newCache(3);
    const reads = Array.from({ length: 5 }, () => load(callerOf()));
    for (const [i, read] of reads.entries()) await cache.find(`hash ${i}`, read);
    for (const [i, read] of [...reads.entries()].reverse()) await cache.find(`hash ${i}`, read);
    expect(reads.map(({ count }) => count)).toEqual([2, 2, 1, 1, 1]);
  });

  test('a flood of unknown keys evicts no caller', async () => {
    const cache = newCache(4);
    const real = load(callerOf());
    await cache.find('real', real);
    for (let i = 0; i < 100; i++) await cache.find(`invented ${i}`, load(undefined));
    await cache.find('real', real);
    expect(real.count).toBe(1);
  });

  test.each([
    ['keeps a caller while changes are noticed', () => performance.now(), 1],
    ['reads a caller again while changes are not noticed', () => -Infinity, 2],
  ])('%s, when its time is over', async (_what, noticedUpToMs, reads) => {
    const cache = createKeyCache({ max: 10, ttlMs: 20 }, undefined, noticedUpToMs);
    const read = load(callerOf());
    await cache.find('hash', read);
    const overAtMs = performance.now() + 30;
    await until('its time to be over', () => Promise.resolve(performance.now() > overAtMs));
    await cache.find('hash', read);
    expect(read.count).toBe(reads);
  });

  test('forgets the key that changed, and no other', async () => {
    const cache = newCache();
    const changed = callerOf();
    const reads = [load(changed), load(callerOf())];
    const findAll = () => Promise.all(reads.map((read, i) => cache.find(`hash ${i}`, read)));
    await findAll();
    cache.evict({ keyId: changed.key.id });
    await findAll();
    expect(reads.map(({ count }) => count)).toEqual([2, 1]);
  });

  test('forgets every key of the project that changed', async () => {
    const cache = newCache();
    const reads = [load(callerOf('proj_a')), load(callerOf('proj_a')), load(callerOf('proj_b'))];
    const findAll = () => Promise.all(reads.map((read, i) => cache.find(`hash ${i}`, read)));
    await findAll();
    cache.evict({ projectId: 'proj_a' });
    await findAll();
    expect(reads.map(({ count }) => count)).toEqual([2, 2, 1]);
  });

  test('forgets unknown keys at any change, because one can be known now', async () => {
    const cache = newCache();
    await cache.find('hash', load(undefined));
    cache.evict({ keyId: 'key_new' });
    const caller = callerOf();
    expect(await cache.find('hash', load(caller))).toBe(caller);
  });

  test('keeps nothing that was being read during a clear, and shares it with nobody after', async () => {
    const cache = newCache();
    const [before, after] = [callerOf(), callerOf()];
    const old = slowLoad<Caller>();
    const asked = cache.find('hash', old);
    cache.clear();
    const fresh = load(after);
    expect(await cache.find('hash', fresh)).toBe(after);
    old.resolve(before);
    expect(await asked).toBe(before);
    expect(await cache.find('hash', fresh)).toBe(after);
    expect(fresh.count).toBe(1);
  });

  const inProject = callerOf('proj_a');
  test.each([
    ['its key', inProject, { keyId: inProject.key.id }],
    ['its project', inProject, { projectId: 'proj_a' }],
    ['any key, if it was unknown', undefined, { keyId: 'key_new' }],
    ['any project, if it was unknown', undefined, { projectId: 'proj_b' }],
  ])(
    'keeps no caller that was being read during a change of %s, and shares it with nobody after',
    async (_of, before, change) => {
      const cache = newCache();
      const old = slowLoad<Caller | undefined>();
      const asked = cache.find('hash', old);
      cache.evict(change);
      const after = callerOf('proj_a');
      const fresh = load(after);
      const askedAfter = cache.find('hash', fresh);
      old.resolve(before);
      expect(await asked).toBe(before);
      expect(await askedAfter).toBe(after);
      expect(await cache.find('hash', fresh)).toBe(after);
      expect([old.count, fresh.count]).toEqual([1, 1]);
    },
  );

  test('reads a caller once, however many other keys and projects change meanwhile', async () => {
    const cache = newCache();
    const caller = callerOf('proj_a');
    const [read, again] = [slowLoad<Caller>(), load(callerOf())];
    const asked = cache.find('hash', read);
    cache.evict({ keyId: 'key_other' });
    cache.evict({ projectId: 'proj_other' });
    const askedAfter = cache.find('hash', again);
    read.resolve(caller);
    expect(await Promise.all([asked, askedAfter])).toEqual([caller, caller]);
    expect(await cache.find('hash', again)).toBe(caller);
    expect([read.count, again.count]).toEqual([1, 0]);
  });

  test('a read from before a change that ends late leaves alone the one that is shared after it', async () => {
    const cache = newCache();
    const [old, fresh] = [slowLoad<Caller>(), slowLoad<Caller>()];
    const asked = cache.find('hash', old);
    cache.clear();
    const first = cache.find('hash', fresh);
    old.resolve(callerOf());
    await asked;
    const second = cache.find('hash', fresh);
    const caller = callerOf();
    fresh.resolve(caller);
    expect(await Promise.all([first, second])).toEqual([caller, caller]);
    expect(fresh.count).toBe(1);
  });

  test('clear forgets everything', async () => {
    const cache = newCache();
    const reads = [load(callerOf()), load(undefined)];
    const findAll = () => Promise.all(reads.map((read, i) => cache.find(`hash ${i}`, read)));
    await findAll();
    cache.clear();
    await findAll();
    expect(reads.map(({ count }) => count)).toEqual([2, 2]);
  });
});
