import type { Connection } from 'mongoose';
import type { KeyChange } from '../features/keys/api-keys-store.js';
import type { KeyCache } from '../features/keys/key-cache.js';
import type { Logger } from '../lib/logger.js';
import { followChanges, type ChangeFeed, type ChangeFeedHandlers } from './change-feed.js';
import type { Bus } from './bus.js';
import type { Publishing } from './publishing.js';

/** How what is kept in memory of keys, projects and domains is forgotten once it has changed. */
export interface Invalidation {
  /** Opens the change stream of MongoDB. */
  start(): void;
  /** Forgets it in this process. */
  changed: (change: KeyChange) => void;
  /** In all processes of the gateway: resolves once they have, or have not done so for a quarter of a second. */
  changedForAll: (change: KeyChange) => Promise<void>;
  /** Whether changes made elsewhere are heard of at once. */
  areHeard(): boolean;
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
    onChange: changed,
    onDomain: (domainId) => siteRouting?.live.evict({ domainId }),
    onBegin() {
      keyCache.clear();
      sites?.clear();
      siteRouting?.live.clear();
    },
    onError: (err) =>
      log.warn(
        { err },
        'the change stream of API keys broke; changes elsewhere are seen when cached keys expire',
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
    async close() {
      await watch?.close();
    },
  };
}
