import type { Connection } from 'mongoose';
import type { KeyChange } from '../features/keys/api-keys-store.js';
import type { KeyCache } from '../features/keys/key-cache.js';
import type { Logger } from '../lib/logger.js';
import { watchKeys } from './watch-keys.js';
import type { Peers } from './peers.js';
import type { Publishing } from './publishing.js';

/** How what is kept in memory of keys, projects and domains is forgotten once it has changed. */
export interface KeyChanges {
  /** Forgets it in this process. */
  changed: (change: KeyChange) => void;
  /** In all processes of the gateway: resolves once they have, or have not done so for a quarter of a second. */
  changedForAll: (change: KeyChange) => Promise<void>;
  /** Whether changes made elsewhere are heard of at once. */
  areHeard(): boolean;
  close(): Promise<void>;
}

export interface KeyChangesParts extends Pick<Publishing, 'sites' | 'visitors'> {
  keyCache: KeyCache;
  peers: Pick<Peers, 'tell'>;
  log: Logger;
}

export function createKeyChanges(
  connection: Connection,
  { keyCache, sites, visitors, peers, log }: KeyChangesParts,
): KeyChanges {
  function changed(change: KeyChange): void {
    keyCache.evict(change);
    sites?.evict(change);
    visitors?.live.evict(change);
  }
  const watch = watchKeys(connection, {
    onChange: changed,
    onDomain: (domainId) => visitors?.live.evict({ domainId }),
    onBegin() {
      keyCache.clear();
      sites?.clear();
      visitors?.live.clear();
    },
    onError: (err) =>
      log.warn(
        { err },
        'the change stream of API keys broke; changes elsewhere are seen when cached keys expire',
      ),
  });
  return {
    changed,
    changedForAll(change) {
      changed(change);
      return peers.tell({ about: 'key', change });
    },
    areHeard: () => watch.healthy(),
    close: () => watch.close(),
  };
}
