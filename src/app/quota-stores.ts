import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import type { StoredCounters } from '../features/limiter/counters.js';
import { countersCollection, createMongoCounters } from '../features/limiter/mongo-counters.js';
import { createRedisCounters } from '../features/limiter/redis-counters.js';
import type { Clock } from '../lib/clock.js';
import { createLogger, type Logger } from '../lib/logger.js';
import type { CollectionShape } from '../platform/mongo/collection-shape.js';
import { connectRedis } from '../platform/redis/redis-connection.js';
import { findRedisFaults } from '../platform/redis/redis-settings.js';

/** A store of quota counters. The rest of the gateway depends only on this interface. */
export interface QuotaStore {
  /** The name in readiness, logs and metrics, for example `redis`. */
  name: string;
  /** The collections that the store needs in the gateway's database. */
  wantedCollections: readonly CollectionShape[];
  open: (connection: Connection, log: Logger, clock: Clock) => Promise<OpenQuotaStore>;
  /** For `doctor`. */
  check: () => Promise<StoreCheck>;
}

export interface OpenQuotaStore {
  counters: StoredCounters;
  close: () => Promise<void>;
}

export interface StoreCheck {
  /** The name of the check. */
  check: string;
  /** The text to show when there are no faults. */
  summary: string;
  faults: { text: string; advice: string; isOutage: boolean }[];
}

/** The settings that choose the store. */
export type QuotaStoreSettings = Pick<Config, 'redisUrl'>;

/** Chooses the store. Nothing else depends on the choice. */
export function quotaStoreOf({ redisUrl }: QuotaStoreSettings): QuotaStore {
  return redisUrl === undefined ? inMongo : inRedis(redisUrl);
}

const inMongo: QuotaStore = {
  name: 'mongodb',
  wantedCollections: [countersCollection],
  open: (connection, _log, clock) =>
    Promise.resolve({ counters: createMongoCounters(connection, clock), close: () => Promise.resolve() }),
  check: () =>
    Promise.resolve({ check: 'Redis', summary: 'not used: quotas are counted in MongoDB', faults: [] }),
};

function inRedis(url: string): QuotaStore {
  return {
    name: 'redis',
    wantedCollections: [],
    async open(_connection, log, clock) {
      const { client, close } = await connectRedis(url, log);
      const warn = async () => {
        for (const fault of await findRedisFaults(client)) log.warn(fault);
      };
      if (client.status === 'ready') await warn();
      else client.once('ready', () => void warn());
      return { counters: createRedisCounters(client, clock), close };
    },
    async check() {
      const { client, close } = await connectRedis(url, createLogger({ level: 'silent', pretty: false }));
      const found = { check: 'Redis', summary: 'appendonly yes, noeviction' };
      try {
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
