import type { ApiKeysStore } from './api-keys-store.js';

export interface KeyUses {
  /** Notes that the key was used now; costs a map entry. */
  note(keyId: string, atMs: number): void;
  /** Writes what was noted; a failed write is tried again with the next. */
  flush(): Promise<void>;
  /** Ends the timer and flushes. */
  close(): Promise<void>;
}

/** Gathers `lastUsedAt` in memory, so that a request never waits for it. A crash loses at most one interval. */
export function createKeyUses(
  store: Pick<ApiKeysStore, 'recordUse'>,
  intervalMs: number,
  onError: (error: unknown) => void,
): KeyUses {
  let noted = new Map<string, number>();

  async function flush(): Promise<void> {
    if (noted.size === 0) return;
    const writing = noted;
    noted = new Map();
    try {
      await store.recordUse(Array.from(writing, ([keyId, atMs]) => ({ keyId, lastUsedAt: new Date(atMs) })));
    } catch (error) {
      for (const [keyId, atMs] of writing) if (!noted.has(keyId)) noted.set(keyId, atMs);
      onError(error);
    }
  }

  const timer = setInterval(() => void flush(), intervalMs);
  timer.unref();
  return {
    note: (keyId, atMs) => void noted.set(keyId, atMs),
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
