import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { ConfigError } from '../config/config-error.js';
import type { Config } from '../config/config.js';
import { createMongoQuotaStore, quotasCollection } from '../features/limiter/mongo-quota-store.js';
import { PROBE } from '../features/limiter/quota-limiter.js';
import { countOf, type QuotaStore } from '../features/limiter/quota-store.js';
import { createRedisQuotaStore } from '../features/limiter/redis-quota-store.js';
import { NO_RESETS } from '../features/plans/window.js';
import type { Clock } from '../lib/clock.js';
import { createLogger, type Logger } from '../lib/logger.js';
import type { CollectionShape } from '../platform/mongo/collection-shape.js';
import { connectRedis } from '../platform/redis/redis-connection.js';
import { findRedisObstacle } from '../platform/redis/redis-obstacle.js';
import { findRedisFaults } from '../platform/redis/redis-settings.js';

/** A kind of quota store. The rest of the gateway depends only on this interface. */
export interface QuotaStoreKind {
  /** The name in readiness, logs and metrics, for example `redis`. */
  name: string;
  /** The collections that the store needs in the gateway's database. */
  wantedCollections: readonly CollectionShape[];
  /** Whether a fault can take counts away that were confirmed. */
  canLoseCounts: boolean;
  /**
   * A store that does not answer is opened: local limits apply until it does.
   * @param storeTime MongoDB's clock; tests pass their own. Redis ends counters by its own clock in any case
   * @throws ConfigError if the settings name a store that cannot count
   */
  open: (connection: Connection, log: Logger, storeTime?: Clock) => Promise<OpenQuotaStore>;
  /** For `doctor`. */
  check: () => Promise<StoreCheck>;
}

export interface OpenQuotaStore {
  store: QuotaStore;
  close: () => Promise<void>;
}

export interface StoreCheck {
  /** The name of the check. */
  check: string;
  /** The text to show when there are no faults. */
  summary: string;
  faults: { text: string; advice: string; isOutage: boolean }[];
}

/** How often a start looks for an obstacle that may pass, and how long it waits in between. */
const OBSTACLE_TRIES = 5;
const OBSTACLE_RETRY_MS = 1000;

/** The settings that choose the store. */
export type QuotaStoreSettings = Pick<Config, 'redisUrl'>;

/** Chooses the store. Nothing else depends on the choice. */
export function quotaStoreOf({ redisUrl }: QuotaStoreSettings): QuotaStoreKind {
  return redisUrl === undefined ? inMongo : inRedis(redisUrl);
}

const inMongo: QuotaStoreKind = {
  name: 'mongodb',
  wantedCollections: [quotasCollection],
  canLoseCounts: false,
  open: (connection, _log, storeTime) =>
    Promise.resolve({
      store: createMongoQuotaStore(connection, storeTime && (() => new Date(storeTime()))),
      close: () => Promise.resolve(),
    }),
  check: () =>
    Promise.resolve({ check: 'Redis', summary: 'not used: quotas are counted in MongoDB', faults: [] }),
};

function inRedis(url: string): QuotaStoreKind {
  return {
    name: 'redis',
    wantedCollections: [],
    canLoseCounts: true,
    async open(_connection, log) {
      const connection = await connectRedis(url, log);
      const { client, close } = connection;
      const store = createRedisQuotaStore(client);
      const find = () => findRedisObstacle(connection, () => tryOut(store));
      const warn = async () => {
        for (const fault of await findRedisFaults(client)) log.warn(fault);
      };
      const examine = async () => {
        const late = await find();
        if (late !== undefined) log.error(`REDIS_URL ${late.text}. ${late.advice}`);
        await warn();
      };
      try {
        let obstacle = await find();
        for (let tries = 1; obstacle?.mayPass === true && tries < OBSTACLE_TRIES; tries += 1) {
          await sleep(OBSTACLE_RETRY_MS);
          obstacle = await find();
        }
        if (obstacle?.isState === true) log.error(`REDIS_URL ${obstacle.text}. ${obstacle.advice}`);
        else if (obstacle !== undefined)
          throw new ConfigError([`REDIS_URL ${obstacle.text}. ${obstacle.advice}`]);
        if (client.status === 'ready') await warn();
        else client.once('ready', () => void examine());
      } catch (error) {
        await close();
        throw error;
      }
      return { store, close };
    },
    async check() {
      const connection = await connectRedis(url, createLogger({ level: 'silent', pretty: false }));
      const { client, close } = connection;
      const found = { check: 'Redis', summary: 'appendonly yes, noeviction' };
      try {
        const store = createRedisQuotaStore(client);
        const obstacle = await findRedisObstacle(connection, () => tryOut(store));
        if (obstacle !== undefined) return { ...found, faults: [{ ...obstacle, isOutage: true }] };
        if (client.status !== 'ready')
          return {
            ...found,
            faults: [
              {
                text: 'cannot be reached',
                advice: 'Check REDIS_URL. Local limits apply to every key until Redis is reachable.',
                isOutage: true,
              },
            ],
          };
        const faults = (await findRedisFaults(client)).map((text) => ({
          text,
          advice: 'See docs/reliability.md.',
          isOutage: false,
        }));
        return { ...found, faults };
      } finally {
        await close();
      }
    },
  };
}

/** All that a store must be allowed to do: charges, finds a loss of counts, a reset, a return of units, a deleted key. */
async function tryOut(store: QuotaStore): Promise<void> {
  const { windows } = await store.decide(PROBE, [1]);
  const lost = windows.map(({ consumedPoints, msBeforeNext }) =>
    countOf({ limit: Infinity }, consumedPoints + 1, msBeforeNext),
  );
  await store.decide(PROBE, [1], lost);
  const reset = {
    ...PROBE,
    windows: PROBE.windows.map((window) => ({ ...window, epoch: window.epoch + 1 })),
  };
  const begun = await store.decide(reset, [1]);
  const leftMs = begun.windows.map(({ msBeforeNext }) => msBeforeNext);
  await store.add(reset, [-1], leftMs);
  await store.remove([{ id: PROBE.id, epochs: NO_RESETS }]);
}
