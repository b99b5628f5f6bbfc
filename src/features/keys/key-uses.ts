import { createBatchWriter, type BatchWriter } from '../../lib/batch-writer.js';
import type { WindowState } from '../plans/window.js';
import type { ApiKey } from './api-key.js';
import type { ApiKeysStore, KeyUse } from './api-keys-store.js';

/** A key counts as near its day limit from this share of the limit. */
const NEAR_LIMIT = 0.8;

/** How often uses are written: the store has all uses older than this. */
export const KEY_USE_INTERVAL_MS = 5000;

export interface KeyUses extends BatchWriter {
  /** Records that the key was used now; costs a map entry. */
  note(keyId: string, atMs: number): void;
  /** Records the state of the key's windows after a charge. */
  noteWindows(key: Pick<ApiKey, 'id' | 'epochs'>, windows: readonly WindowState[], atMs: number): void;
}

/** Collects uses in memory, so that no request waits for a write. A crash loses at most one interval. */
export function createKeyUses(
  store: Pick<ApiKeysStore, 'recordUse'>,
  intervalMs: number,
  onError: (error: unknown) => void,
): KeyUses {
  let noted = new Map<string, KeyUse>();

  async function write(): Promise<void> {
    if (noted.size === 0) return;
    const writing = noted;
    noted = new Map();
    try {
      await store.recordUse([...writing.values()]);
    } catch (error) {
      for (const [keyId, use] of writing) if (!noted.has(keyId)) noted.set(keyId, use);
      throw error;
    }
  }

  return {
    ...createBatchWriter(write, intervalMs, onError),
    note(keyId, atMs) {
      noted.set(keyId, { keyId, day: noted.get(keyId)?.day, lastUsedAt: new Date(atMs) });
    },
    noteWindows({ id: keyId, epochs }, windows, atMs) {
      const day = windows.find((window) => window.name === 'day');
      if (day === undefined) return;
      const { used, limit } = day;
      noted.set(keyId, {
        keyId,
        day: { used, nearLimit: used >= limit * NEAR_LIMIT, epoch: epochs.day },
        lastUsedAt: new Date(atMs),
      });
    },
  };
}
