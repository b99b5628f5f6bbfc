import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from '../load.js';
import { usageOf } from '../process-usage.js';
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
/** Few enough that making and sending them does not hold up this process, which measures. */
const CHANGES_AT_ONCE = 50;
/** Less processor time than this in a sample means that nothing happens, microseconds. */
const QUIET_US = 30_000;
const CONNECTIONS = 20;

export interface Settings {
  inUse: number;
  changes: number;
  coldKeys: number;
  rounds: number;
  signal: AbortSignal;
}

/** What one checkout showed; each list has a value for each round. */
export interface Shown {
  /** Resident memory above that before the keys were used, MiB. */
  memoryMiB: number;
  /** Processor time of the gateway for the changes, above what it takes at rest, milliseconds. */
  changesCpuMs: number[];
  /** The longest response time of a key in use meanwhile, milliseconds. */
  longestMs: number[];
  /** The longest response time of a key in use without changes, in as many requests. */
  longestAtRestMs: number[];
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
  const secretsOf = async (count: number) => (await keys.fresh(count)).map(({ secret }) => secret);
  const used = await secretsOf(inUse);
  const cold = await secretsOf(coldKeys * rounds);
  const server = await startServer(process.execPath, [join(checkout, 'bin/pets-gateway.js'), 'serve'], {
    MONGODB_URI: uri,
    PORT: '0',
    LOG_LEVEL: 'error',
  });
  const { url, pid } = server;
  const probe = createProbe(`${url}/v1/pets/${PET}`);
  const [old = ''] = used;
  const shown: Shown = {
    memoryMiB: NaN,
    ...{ changesCpuMs: [], longestMs: [], longestAtRestMs: [], coldMs: [], warmMs: [] },
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

  async function begin(): Promise<void> {
    for (let answered = 0; answered < WARM_UP_REQUESTS;)
      answered += (await loadWith([old], undefined, 1)).requests;
    await sleep(QUIET_AFTER_MS, undefined, { signal });
    const { residentMiB } = usageOf(pid);
    await useEach(used);
    await sleep(QUIET_AFTER_MS, undefined, { signal });
    await untilQuiet();
    shown.memoryMiB = usageOf(pid).residentMiB - residentMiB;
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
      await measureCold();
    },
    shown,
    async close() {
      probe.close();
      await server.stop();
      await keys.close();
    },
  };
}
