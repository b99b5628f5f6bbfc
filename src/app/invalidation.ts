import type { Connection } from 'mongoose';
import type { KeyChange } from '../features/keys/api-keys-store.js';
import type { KeyCache } from '../features/keys/key-cache.js';
import type { Logger } from '../lib/logger.js';
import {
  followChanges,
  type ChangeFeed,
  type ChangeFeedHandlers,
} from '../features/system/mongo-change-feed.js';
import type { Bus } from '../features/system/bus.js';
import type { Publishing } from './publishing.js';

/** Evicts cached keys, projects and domains when they change. */
export interface Invalidation {
  /** Follows the changes made elsewhere. */
  start(): void;
  /** Evicts the cached entries in this process. */
  changed: (change: KeyChange) => void;
  /** Evicts the cached entries in all processes of the gateway. Resolves when all have done so, or after 250 ms. */
  changedForAll: (change: KeyChange) => Promise<void>;
  /** Whether this process notices changes made elsewhere at once, see `ChangeFeed.healthy`. */
  areHeard(): boolean;
  /** See `ChangeFeed.heardUpToMs`. */
  heardUpToMs(): number;
  close(): Promise<void>;
}

export interface InvalidationParts extends Pick<Publishing, 'sites' | 'siteRouting'> {
  keyCache: KeyCache;
  bus: Pick<Bus, 'broadcast'>;
  log: Logger;
}

export function createInvalidation(
  connection: Connection,
  { keyCache, sites, siteRouting, bus, log }: InvalidationParts,
): Invalidation {
  function changed(change: KeyChange): void {
    keyCache.evict(change);
    sites?.evict(change);
    siteRouting?.live.evict(change);
  }
  let watch: ChangeFeed | undefined;
  const handlers: ChangeFeedHandlers = {
    onChange({ of, id }) {
      if (of === 'domain') siteRouting?.live.evict({ domainId: id });
      else changed(of === 'project' ? { projectId: id } : { keyId: id });
    },
    onBegin() {
      keyCache.clear();
      sites?.clear();
      siteRouting?.live.clear();
    },
    onError: (err) =>
      log.warn(
        { err },
        'The change stream of API keys broke; this process sees changes made elsewhere when cached keys expire',
      ),
  };
  return {
    start() {
      watch ??= followChanges(connection, handlers);
    },
    changed,
    changedForAll(change) {
      changed(change);
      return bus.broadcast({ about: 'key', change });
    },
    areHeard: () => watch?.healthy() ?? false,
    heardUpToMs: () => watch?.heardUpToMs() ?? -Infinity,
    async close() {
      await watch?.close();
    },
  };
}
