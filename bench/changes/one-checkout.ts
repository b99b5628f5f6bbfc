import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as apiKeysModule from '../../src/features/keys/mongo-api-keys-store.js';
import { DAY_MS } from '../../src/lib/clock.js';
import { runLoad } from '../load.js';
import { ownUsageOf, usageOf } from '../process-usage.js';
import { connect } from '../targets/database.js';
import type * as databaseModule from '../targets/database.js';
import type { BenchDatabase } from '../targets/database.js';
import type * as keysModule from '../targets/gateway-keys.js';
import { startServer } from '../targets/running-server.js';
import { load } from '../targets/targets.js';
import { restGet, type PetsRequest } from '../workloads.js';
import { createProbe } from './probe.js';

const PETS = 1000;
const PET = 500;
/** After this many requests, a new process has compiled most of its code. */
const WARM_UP_REQUESTS = 20_000;
/** By then, a gateway has written what it has counted. */
const QUIET_AFTER_MS = 40_000;
const SAMPLE_MS = 500;
/** A collection of a heap of this size takes less than half of it, and giving back its pages too. */
const GARBAGE_MS = 2000;
/** Few enough that making and sending them does not hold up this process, which measures. */
const CHANGES_AT_ONCE = 50;
/** Less processor time than this in a sample means that nothing happens, microseconds. */
const QUIET_US = 30_000;
const CONNECTIONS = 20;
/** How often a gateway writes uses of keys. */
const WRITE_MS = 5000;
const WRITES_PER_MINUTE = 60_000 / WRITE_MS;

export interface Settings {
  inUse: number;
  changes: number;
  coldKeys: number;
  rounds: number;
  signal: AbortSignal;
}

/** What one checkout showed; each list has a value for each round. */
export interface Shown {
  /** Resident memory above that before the keys were used, both without garbage, MiB. */
  memoryMiB: number;
  /** Processor time of the gateway for the changes, above what it takes at rest, milliseconds. */
  changesCpuMs: number[];
  /** The longest response time of a key in use meanwhile, milliseconds. */
  longestMs: number[];
  /** The longest response time of a key in use without changes, in as many requests. */
  longestAtRestMs: number[];
  /** Processor time for the last uses of all keys, each used once in a minute: of the process and of MongoDB, milliseconds. */
  usesCpuMs: number[];
  usesMongodCpuMs: number[];
  /** Response times under load, milliseconds: of the first request of each new key, and of a key in use in turn with it. */
  coldMs: number[];
  warmMs: number[];
}

export interface MeasuredCheckout {
  /** Once, before the rounds: has each key used. */
  begin: () => Promise<void>;
  round: () => Promise<void>;
  shown: Shown;
  close: () => Promise<void>;
}

const get: readonly PetsRequest[] = [restGet(PET)];

export async function startCheckout(
  name: string,
  checkout: string,
  database: BenchDatabase,
  { inUse, changes, coldKeys, rounds, signal }: Settings,
): Promise<MeasuredCheckout> {
  const uri = database.uriOf(name);
  const { fillWithPets } = await load<typeof databaseModule>(checkout, 'database');
  const { openGatewayKeys } = await load<typeof keysModule>(checkout, 'gateway-keys');
  await fillWithPets(uri, PETS);
  const keys = await openGatewayKeys(uri);
  const usedKeys = await keys.fresh(inUse);
  const used = usedKeys.map(({ secret }) => secret);
  const cold = (await keys.fresh(coldKeys * rounds)).map(({ secret }) => secret);
  const uses = await openUses(
    checkout,
    uri,
    usedKeys.map(({ id }) => id),
  );
  const collectGarbage = join(__dirname, '../targets/collect-garbage.cjs');
  const server = await startServer(
    process.execPath,
    ['--expose-gc', '--require', collectGarbage, join(checkout, 'bin/pets-gateway.js'), 'serve'],
    { MONGODB_URI: uri, PORT: '0', LOG_LEVEL: 'error' },
  );
  const { url, pid } = server;
  const probe = createProbe(`${url}/v1/pets/${PET}`);
  const [old = ''] = used;
  const shown: Shown = {
    memoryMiB: NaN,
    ...{ changesCpuMs: [], longestMs: [], longestAtRestMs: [] },
    ...{ usesCpuMs: [], usesMongodCpuMs: [], coldMs: [], warmMs: [] },
  };

  const loadWith = (secrets: readonly string[], requestsPerKey: number | undefined, seconds: number) =>
    runLoad(
      {
        ...{ url, requests: get, headers: {}, connections: CONNECTIONS, seconds },
        keys: { secrets, ...(requestsPerKey !== undefined && { requestsPerKey }) },
      },
      signal,
    );

  /** Waits until the gateway does nothing. @returns when that began, and its processor time, microseconds */
  async function untilQuiet(): Promise<{ cpuUs: number; atMs: number }> {
    for (let quiet = 0, last = usageOf(pid).cpuUs; ;) {
      await sleep(SAMPLE_MS, undefined, { signal });
      const now = usageOf(pid).cpuUs;
      quiet = now - last < QUIET_US ? quiet + 1 : 0;
      last = now;
      if (quiet === 3) return { cpuUs: now, atMs: performance.now() };
    }
  }

  async function useEach(secrets: readonly string[]): Promise<void> {
    for (let done = 0; done < secrets.length;) {
      const { requests } = await loadWith(secrets.slice(done), 1, 1);
      done += requests;
    }
  }

  async function residentWithoutGarbage(): Promise<number> {
    // Twice: the first collection leaves pages that the second gives back.
    for (let i = 0; i < 2; i += 1) {
      process.kill(pid, 'SIGUSR2');
      await sleep(GARBAGE_MS, undefined, { signal });
    }
    return usageOf(pid).residentMiB;
  }

  async function begin(): Promise<void> {
    for (let answered = 0; answered < WARM_UP_REQUESTS;)
      answered += (await loadWith([old], undefined, 1)).requests;
    await sleep(QUIET_AFTER_MS, undefined, { signal });
    const residentMiB = await residentWithoutGarbage();
    await useEach(used);
    await sleep(QUIET_AFTER_MS, undefined, { signal });
    await untilQuiet();
    shown.memoryMiB = (await residentWithoutGarbage()) - residentMiB;
    await uses.begin();
  }

  async function change(): Promise<void> {
    for (let made = 0; made < changes; made += CHANGES_AT_ONCE)
      await keys.fresh(Math.min(CHANGES_AT_ONCE, changes - made));
  }

  async function measureChanges(): Promise<void> {
    const before = await untilQuiet();
    await sleep(4 * SAMPLE_MS, undefined, { signal });
    const rest = { cpuUs: usageOf(pid).cpuUs, atMs: performance.now() };
    const idleUsPerMs = (rest.cpuUs - before.cpuUs) / (rest.atMs - before.atMs);
    await change();
    const after = await untilQuiet();
    const idleUs = idleUsPerMs * (after.atMs - rest.atMs);
    shown.changesCpuMs.push(Math.max(0, after.cpuUs - rest.cpuUs - idleUs) / 1000);
  }

  /** The longest of the requests that are sent one after the other, until the gateway is at rest after `happening`. */
  async function longestDuring(happening: () => Promise<unknown>): Promise<number> {
    let isOver = false as boolean;
    const happened = happening().finally(() => (isOver = true));
    let longestMs = 0;
    for (let more = 50; more > 0; isOver && (more -= 1))
      longestMs = Math.max(longestMs, await probe.ask(old));
    await happened;
    return longestMs;
  }

  async function measureWaits(): Promise<void> {
    shown.longestAtRestMs.push(await longestDuring(() => sleep(2000, undefined, { signal })));
    shown.longestMs.push(
      await longestDuring(async () => {
        await change();
        // The changes arrive within half a second; longer requests extend this by themselves.
        await sleep(1000, undefined, { signal });
      }),
    );
  }

  /** Writes the uses from this process, as each gateway does, and as fast as it can. */
  async function measureUses(): Promise<void> {
    await untilQuiet();
    const [before, beforeMs] = [ownUsageOf(database.pid).cpuUs, performance.now()];
    await sleep(4 * SAMPLE_MS, undefined, { signal });
    const [mongod, own, atMs] = [ownUsageOf(database.pid).cpuUs, process.cpuUsage(), performance.now()];
    const idleUsPerMs = (mongod - before) / (atMs - beforeMs);
    await uses.minute();
    const { user, system } = process.cpuUsage(own);
    // MongoDB writes its checkpoints and answers others after that.
    await sleep(4 * SAMPLE_MS, undefined, { signal });
    const idleUs = idleUsPerMs * (performance.now() - atMs);
    shown.usesCpuMs.push((user + system) / 1000);
    shown.usesMongodCpuMs.push(Math.max(0, ownUsageOf(database.pid).cpuUs - mongod - idleUs) / 1000);
  }

  async function measureCold(): Promise<void> {
    const seconds = 600;
    const stop = new AbortController();
    const loaded = runLoad(
      {
        url,
        requests: get,
        headers: {},
        connections: CONNECTIONS,
        seconds,
        keys: { secrets: used.slice(0, 10_000) },
      },
      AbortSignal.any([stop.signal, signal]),
    ).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    try {
      // The load has begun.
      for (let i = 0; i < 200; i += 1) await probe.ask(old);
      for (const secret of cold.splice(0, coldKeys)) {
        shown.warmMs.push(await probe.ask(old));
        shown.coldMs.push(await probe.ask(secret));
      }
    } finally {
      stop.abort();
      await loaded;
    }
  }

  return {
    begin,
    async round() {
      await measureChanges();
      await measureWaits();
      await measureUses();
      await measureCold();
    },
    shown,
    async close() {
      probe.close();
      await server.stop();
      await uses.close();
      await keys.close();
    },
  };
}

/** The store of a checkout, with a clock that advances with each write: a minute takes a moment. */
async function openUses(checkout: string, uri: string, ids: readonly string[]) {
  const path = join(checkout, 'src/features/keys/mongo-api-keys-store');
  const { createMongoApiKeysStore } = (await import(path)) as typeof apiKeysModule;
  const connection = await connect(uri);
  let nowMs = Date.now();
  let used = 1;
  const store = createMongoApiKeysStore(connection, () => nowMs);
  const write = (some: readonly string[]) =>
    store.recordUse(
      some.map((keyId) => ({
        keyId,
        lastUsedAt: new Date(nowMs),
        day: { startsAtMs: Math.floor(nowMs / DAY_MS) * DAY_MS, used, epoch: 0 },
      })),
    );
  return {
    /** From then on, uses that have waited are due at the pace of a gateway that runs for long. */
    begin: () => write(ids),
    async minute() {
      used += 1;
      const share = Math.ceil(ids.length / WRITES_PER_MINUTE);
      for (let i = 0; i < ids.length; i += share) {
        await write(ids.slice(i, i + share));
        nowMs += WRITE_MS;
      }
    },
    close: () => connection.close(),
  };
}
