import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCaller } from '../../src/features/keys/caller.js';
import { createKeyCache } from '../../src/features/keys/key-cache.js';
import type { Domain } from '../../src/features/publishing/domains/domain.js';
import type { Project } from '../../src/features/projects/project.js';
import { createLiveDomains } from '../../src/features/publishing/sites/live-domains.js';
import { createPublishedSites } from '../../src/features/publishing/sites/published-sites.js';
import { createRecorder } from '../../src/features/usage/recorder.js';
import { createPaceKeeper } from '../../src/http/server/body-pace.js';
import { adminKey } from '../support/admin-key.js';
import { countWork } from '../support/counted-work.js';

/**
 * Finds work that grows: each case counts the work of one event, or of one interval for each of its units, with a number
 * of keys, hosts or requests, and with ten times as many. Every change handler and every interval of the gateway is a case
 * or has a reason here.
 */

const SIZE = 200;
const MAX_GROWTH = 1.5;
const HOUR_MS = 3_600_000;
const AT = Date.parse('2029-06-15T12:00:00.000Z');
const never = new Promise<never>(() => undefined);

interface Case {
  /** Brings a part to this size. Returns what to count. */
  prepare: (size: number) => Promise<() => void | Promise<void>>;
  /** The work is for each of the units. Default: for the whole. */
  isForEach?: true;
}

async function cachedCallers(size: number) {
  const cache = createKeyCache({ max: 1_000_000, ttlMs: HOUR_MS });
  const { key } = adminKey();
  for (let i = 0; i < size; i++) {
    const caller = createCaller({ ...key, id: `key_${i}`, projectId: 'proj_a' }, undefined, 60, 'hash');
    await cache.find(`hash ${i}`, () => Promise.resolve(caller));
    // As many unknown ones.
    await cache.find(`unknown ${i}`, () => Promise.resolve(undefined));
  }
  return cache;
}

async function liveHosts(size: number) {
  const live = createLiveDomains({
    domains: {
      holderOf: (host) =>
        Promise.resolve({ id: `dom_${host}`, projectId: 'proj_a', certificate: {} } as unknown as Domain),
      wasHeld: () => Promise.resolve(false),
    },
    projects: {
      get: (id) => Promise.resolve({ id, plan: 'business', redirects: [] } as unknown as Project),
      getBySlug: () => Promise.resolve(undefined),
      hadSlug: () => Promise.resolve(false),
    },
    platformHost: 'sites.example',
    isCovered: () => false,
    graceMs: HOUR_MS,
    isWatching: () => true,
    lookUp: (look) => look(),
    ttlMs: HOUR_MS,
    clock: () => AT,
  });
  for (let i = 0; i < size; i++) await live.at(`host-${i}.example`, undefined);
  return live;
}

async function publishedSites(size: number) {
  const sites = createPublishedSites({
    deploys: {
      liveSite: (projectId) => Promise.resolve({ deployId: projectId, spa: false, files: [] }),
      blob: () => Promise.resolve(undefined),
    },
    ttlMs: HOUR_MS,
  });
  for (let i = 0; i < size; i++) await sites.siteOf(`proj_${i}`);
  return sites;
}

function newRecorder() {
  return createRecorder(
    {
      apiKeys: { recordUse: () => Promise.resolve() },
      usage: { add: () => Promise.resolve() },
      traffic: { add: () => Promise.resolve() },
    },
    { warn: () => undefined },
    HOUR_MS,
  );
}

const LIST = { interface: 'rest', source: 'pro', operation: 'listPets', status: 200, cost: 1 } as const;

/** By the call in src/app/services.ts. */
const CHANGES: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  'keyCache.evict': {
    'of a key, with many callers cached': {
      prepare: async (size) => {
        const cache = await cachedCallers(size);
        return () => cache.evict({ keyId: 'key_7' });
      },
    },
    'of a project, with many of its callers cached': {
      prepare: async (size) => {
        const cache = await cachedCallers(size);
        return () => cache.evict({ projectId: 'proj_a' });
      },
    },
    'of a key, while many are read': {
      prepare: async (size) => {
        const cache = await cachedCallers(1);
        for (let i = 0; i < size; i++) void cache.find(`read ${i}`, () => never);
        return () => cache.evict({ keyId: 'key_7' });
      },
    },
    'of a key, after many other changes while one is read': {
      prepare: async (size) => {
        const cache = await cachedCallers(1);
        void cache.find('read', () => never);
        for (let i = 0; i < size; i++) cache.evict({ keyId: `key_${i}` });
        return () => cache.evict({ keyId: 'key_7' });
      },
    },
  },
  'keyCache.clear': {
    'of many callers': {
      prepare: async (size) => {
        const cache = await cachedCallers(size);
        return () => cache.clear();
      },
    },
  },
  'siteRouting.live.evict': {
    'of a domain, with many hosts cached': {
      prepare: async (size) => {
        const live = await liveHosts(size);
        return () => live.evict({ domainId: 'dom_host-7.example' });
      },
    },
    'of a project, with many of its hosts cached': {
      prepare: async (size) => {
        const live = await liveHosts(size);
        return () => live.evict({ projectId: 'proj_a' });
      },
    },
    'of a key, with many hosts cached': {
      prepare: async (size) => {
        const live = await liveHosts(size);
        return () => live.evict({ keyId: 'key_7' });
      },
    },
  },
  'siteRouting.live.clear': {
    'of many hosts': {
      prepare: async (size) => {
        const live = await liveHosts(size);
        return () => live.clear();
      },
    },
  },
  'sites.evict': {
    'of a project, with many sites cached': {
      prepare: async (size) => {
        const sites = await publishedSites(size);
        return () => sites.evict({ projectId: 'proj_7' });
      },
    },
  },
  'sites.clear': {
    'of many sites': {
      prepare: async (size) => {
        const sites = await publishedSites(size);
        return () => sites.clear();
      },
    },
  },
};

/** By the file with the interval. A text is the reason why its work does not grow, or what it grows with. */
const INTERVALS: Readonly<Record<string, string | Readonly<Record<string, Case>>>> = {
  'features/usage/recorder.ts': {
    'the writing of ten keys, after many others': {
      prepare: async (size) => {
        const recorder = newRecorder();
        const use = (i: number) => {
          recorder.noteUse(`key_${i}`, AT);
          recorder.countRequest({ id: `key_${i}`, projectId: 'proj_a' }, LIST, AT);
        };
        for (let i = 0; i < size; i++) use(i);
        await recorder.flush();
        for (let i = 0; i < 10; i++) use(i);
        return () => recorder.flush();
      },
    },
    'the writing of each of many keys': {
      isForEach: true,
      prepare: (size) => {
        const recorder = newRecorder();
        for (let i = 0; i < size; i++) {
          recorder.noteUse(`key_${i}`, AT);
          recorder.countRequest({ id: `key_${i}`, projectId: 'proj_a' }, LIST, AT);
        }
        return Promise.resolve(() => recorder.flush());
      },
    },
    'a request, while many keys wait to be written': {
      prepare: (size) => {
        const recorder = newRecorder();
        for (let i = 0; i < size; i++) recorder.noteUse(`key_${i}`, AT);
        return Promise.resolve(() => {
          recorder.noteUse('key_7', AT);
          recorder.countRequest({ id: 'key_7', projectId: 'proj_a' }, LIST, AT);
        });
      },
    },
  },
  'http/server/body-pace.ts': {
    'the check of each of many bodies': {
      isForEach: true,
      prepare: async (size) => {
        jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
        const pace = createPaceKeeper({ graceMs: HOUR_MS, bytesPerSecond: 1 }, 1000);
        for (let i = 0; i < size; i++)
          pace.watch(
            Object.assign(new EventEmitter(), {
              complete: false,
              headers: { 'content-length': '1' },
              readableLength: 0,
              readableHighWaterMark: 1,
              socket: { bytesRead: 0, destroyed: false },
            }),
            () => undefined,
          );
        await new Promise(setImmediate);
        return () => {
          jest.advanceTimersByTime(1000);
          pace.stop();
          jest.useRealTimers();
        };
      },
    },
  },
  'features/administration/removals.ts': 'asks the store for one deleted project at a time, by an index',
  'features/synchronization/pets-imports.ts':
    'asks the store for one import that is due at a time, by an index',
  'features/publishing/certificates/key-ring-watch.ts': 'reads the ids of the encryption keys, by an index',
  'features/publishing/domains/platform-hosts-job.ts':
    'once an hour, looks at each published site, 1,000 at a time: a site published by another process may lack a certificate',
  'http/load/in-flight-limit.ts': 'adds up what was counted at each request',
  'http/server/http2/sessions.ts':
    'reads a flag of each HTTP/2 connection, and checks those with traffic and a tenth of the others',
  'http/server/server.ts': 'only while the server stops',
  'http/steps/current-caller.ts': 'looks at each request that waits for its body or its turn',
  'platform/mongo/migrations.ts': 'only during a migration',
  'platform/mongod/embedded-mongod.ts': 'asks for the size of one file',
  'platform/mongod/mongod-wheel.ts': 'only while mongod is downloaded',
  'server/start-display.ts': 'only while the gateway starts',
};

const SRC = join(__dirname, '../../src');
const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8');

test('every call that handles a change is a case', () => {
  const calls = textOf('app/services.ts').match(/\b[a-zA-Z.?]+\.(evict|clear)\(/g) ?? [];
  const handlers = new Set(calls.map((call) => call.slice(0, -1).replaceAll('?', '')));
  expect([...handlers].sort()).toEqual(Object.keys(CHANGES).sort());
});

test('every interval is a case, or has a reason', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const withIntervals = files.filter((file) => file.endsWith('.ts') && textOf(file).includes('setInterval('));
  expect(withIntervals.sort()).toEqual(Object.keys(INTERVALS).sort());
});

const cases = Object.entries({ ...CHANGES, ...INTERVALS }).flatMap(([where, of]) =>
  typeof of === 'string' ? [] : Object.entries(of).map(([what, each]) => ({ where, what, ...each })),
);

test.each(cases)('$where: $what takes as much work as with a tenth', async ({ prepare, isForEach }) => {
  // What runs for the first time may do more.
  await (
    await prepare(SIZE)
  )();
  const [small, large] = [await countWork(await prepare(SIZE)), await countWork(await prepare(10 * SIZE))];
  expect(small).toBeGreaterThan(0);
  const growth = large / small / (isForEach === true ? 10 : 1);
  expect(growth).toBeLessThanOrEqual(MAX_GROWTH);
});

test('work that grows is found', async () => {
  const cache = await cachedCallers(10 * SIZE);
  const few = await countWork(() => void cache.peek('hash 1'));
  const many = await countWork(() => {
    for (let i = 0; i < SIZE; i++) cache.peek(`hash ${i}`);
  });
  expect(many / few).toBeGreaterThan(SIZE / 2);
});
