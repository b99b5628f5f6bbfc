import { createWriteStream, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase } from '../../support/database.js';
import { startRedisServer } from '../../support/redis-server.js';
import { startToxiproxy } from '../../support/toxiproxy.js';
import { makeKey, makeProject } from '../../thorough/upgrade/records.js';
import { startReplicaSet } from '../replica-set.js';
import { createChecker, type CheckedWindows, type Checker } from './checker.js';
import { startClients, type ClientKey, type Habit } from './clients.js';
import { startFleet, type Fleet } from './fleet.js';
import { gatewayFaults, haunt, mongodbFaults, redisFaults, type Fault } from './nemesis.js';
import { createRandom, type Random } from './random.js';

/** `npm run test:history` sets these. */
const MINUTES = Number(process.env['HISTORY_MINUTES'] ?? 2);
const SEED = Number(process.env['HISTORY_SEED'] ?? Date.now() % 1_000_000);
const STORES = (['mongodb', 'redis'] as const).filter(
  (store) => (process.env['HISTORY_STORE'] ?? store) === store,
);
const GATEWAYS = 4;
const ADMIN = 'the-admin-secret-of-this-test';
/** A short run has no time to lose; a long one has whole windows without a fault. */
const REST_MS = MINUTES < 5 ? ([2000, 6000] as const) : ([3000, 60_000] as const);
/** How long a store may take to be whole again, starts and the end of the last windows included. */
const AROUND_MS = 600_000;
const SWEEP_EVERY_MS = 10_000;
const MOST_NOTED = 20;

/** Their shares while the store is down are whole numbers. */
const HABITS: [name: string, perMinute: number, perDay: number, habit: Habit][] = [
  ['trickle', 20, 1_000_000, { clients: 2, burst: [1, 1], pauseMs: [500, 3000], cost: [1, 1] }],
  ['steady', 60, 1_000_000, { clients: 3, burst: [1, 1], pauseMs: [300, 1500], cost: [1, 1] }],
  ['bursts', 200, 1_000_000, { clients: 2, burst: [5, 40], pauseMs: [2000, 9000], cost: [1, 1] }],
  ['queries', 400, 1_000_000, { clients: 3, burst: [1, 3], pauseMs: [500, 2500], cost: [1, 20] }],
  ['never-full', 2000, 1_000_000, { clients: 2, burst: [1, 2], pauseMs: [300, 900], cost: [1, 2] }],
  ['day', 1000, 400, { clients: 2, burst: [1, 10], pauseMs: [2000, 9000], cost: [1, 3] }],
  ['long-day', 100, 1200, { clients: 2, burst: [1, 6], pauseMs: [1000, 4000], cost: [1, 1] }],
];

async function issueKeys(url: string): Promise<ClientKey[]> {
  const keys: ClientKey[] = [];
  for (const [name, minute, day, habit] of HABITS)
    for (const number of [1, 2]) {
      const quota = { perMinute: minute, perDay: day };
      const { secret } = await makeKey(url, ADMIN, await makeProject(url, ADMIN, name, quota));
      keys.push({ name: `${name} ${number}`, limits: { minute, day }, secret, habit });
    }
  return keys;
}

interface Stage {
  envOf: (gateway: number) => Record<string, string>;
  faults: (fleet: Fleet, random: Random) => Fault[];
  close: () => Promise<void>;
}

async function onMongoDB(): Promise<Stage> {
  const toxiproxy = await startToxiproxy();
  const replicaSet = await startReplicaSet({ members: 3, toxiproxy });
  return {
    envOf: () => ({ MONGODB_URI: replicaSet.uri }),
    faults: (fleet, random) => [...gatewayFaults(fleet, random), ...mongodbFaults(replicaSet, random)],
    async close() {
      await replicaSet.close();
      await toxiproxy.close();
    },
  };
}

async function onRedis(): Promise<Stage> {
  const toxiproxy = await startToxiproxy();
  const redis = await startRedisServer();
  const database = freshDatabase();
  const wires = await Promise.all(Array.from({ length: GATEWAYS }, () => toxiproxy.wireTo(redis.port)));
  return {
    envOf: (gateway) => ({
      MONGODB_URI: database.uri,
      REDIS_URL: `redis://127.0.0.1:${wires[gateway]?.port ?? 0}`,
    }),
    faults: (fleet, random) => [...gatewayFaults(fleet, random), ...redisFaults(redis, wires, random)],
    async close() {
      await redis.close();
      await toxiproxy.close();
      await database.drop();
    },
  };
}

test.each(STORES)(
  'no window admits more than its limit, and none less, whatever fails: %s',
  async (store) => {
    const random = createRandom(SEED);
    const file = join(tmpdir(), `pets-gateway-history-${store}-${SEED}.jsonl`);
    const history = createWriteStream(file);
    let begunMs = performance.now();
    const events: string[] = [];
    const note = (event: string) => {
      const line = `${((performance.now() - begunMs) / 1000).toFixed(1).padStart(7)} s  ${event}`;
      events.push(line);
      history.write(`${JSON.stringify({ atMs: performance.now(), event })}\n`);
      process.stderr.write(`${line}\n`);
    };
    /** What the checker hears of a gateway process is a part of the history. */
    const wrote =
      (what: 'outageBegan' | 'outageEnded' | 'gatewayEnded', to: Checker) =>
      (gateway: string, atMs: number) => {
        history.write(`${JSON.stringify({ atMs, what, gateway })}\n`);
        to[what](gateway, atMs);
      };
    let checker: Checker | undefined;
    const stage = await (store === 'redis' ? onRedis() : onMongoDB());
    const fleet = await startFleet(
      GATEWAYS,
      (gateway) => ({
        ...stage.envOf(gateway),
        ADMIN_API_KEY: ADMIN,
        QUOTA_NODES: String(GATEWAYS),
        // No ban is part of this.
        STRIKES_PER_BAN: '1000',
        STRIKE_WINDOW_SECONDS: '1',
        LOG_LEVEL: 'info',
        LOG_REQUESTS: '0',
        MAX_EVENT_LOOP_DELAY_MS: '0',
      }),
      () =>
        checker && {
          outageBegan: wrote('outageBegan', checker),
          outageEnded: wrote('outageEnded', checker),
          gatewayEnded: wrote('gatewayEnded', checker),
        },
    );
    let isKept = true;
    try {
      const keys = await issueKeys(fleet.members[0]?.process.url ?? '');
      begunMs = performance.now();
      note(`${store}, seed ${SEED}, ${MINUTES} minutes, ${GATEWAYS} gateways`);
      checker = createChecker(keys, GATEWAYS);
      const { violations, full } = await check(checker);
      if (violations.length > 0) note(`the history is in ${file}`);
      expect(violations).toEqual([]);
      expect(full).toBeGreaterThan(0);
      isKept = false;

      async function check(checking: Checker): Promise<CheckedWindows> {
        const clients = startClients(keys, fleet, random, (answer) => {
          checking.record(answer);
          history.write(`${JSON.stringify(answer)}\n`);
        });
        let noted = 0;
        const sweep = (nowMs: number) => {
          checking.sweep(nowMs);
          const { violations } = checking.verdict();
          for (; noted < Math.min(violations.length, MOST_NOTED); noted++)
            note(`VIOLATION ${violations[noted]}`);
        };
        const sweeping = setInterval(() => sweep(performance.now()), SWEEP_EVERY_MS);
        try {
          const endsAtMs = performance.now() + MINUTES * 60_000;
          await haunt(stage.faults(fleet, random), random, REST_MS, endsAtMs, (name, isOver) =>
            note(isOver ? `  over: ${name}` : name),
          );
          await sleep(Math.max(0, endsAtMs - performance.now()));
        } finally {
          clearInterval(sweeping);
          await clients.stop();
          sweep(Infinity);
          const { violations, ...counts } = checking.verdict();
          note(`answers ${JSON.stringify(clients.seen)}`);
          note(
            `windows: ${counts.clean} without local limits, ${counts.withOutage} with; ${counts.full} full; ` +
              `with local limits at most ${counts.mostOver.units} over a limit of ${counts.mostOver.limit}; ` +
              `${violations.length} violations`,
          );
        }
        return checking.verdict();
      }
    } finally {
      await fleet.close();
      await stage.close();
      await new Promise((resolve) => history.end(resolve));
      if (!isKept) rmSync(file, { force: true });
    }
  },
  MINUTES * 60_000 + AROUND_MS,
);
