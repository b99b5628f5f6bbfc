import type { Clock } from '../../lib/clock.js';
import type { PetsStore } from './pets-store.js';
import { createBatcher } from '../../lib/batcher.js';

const MAX_LEASE = 1000;
/** Ids unused after this time are dropped, so that ids of several processes stay in order of creation. */
const LEASE_MS = 1000;

/**
 * Reserves ids in blocks. A block is durable before its first id is used, so no failover assigns an id twice. Ids left
 * unused by a crash are gaps. Blocks start at one id and double while they are used up in time, so that occasional
 * creates leave no gaps.
 */
export function withLeasedIds(store: PetsStore, clock: Clock): PetsStore {
  let block = { next: 0n, end: 0n, size: 0, leasedAtMs: 0 };

  function isCurrent(): boolean {
    const ageMs = clock() - block.leasedAtMs;
    return ageMs >= 0 && ageMs < LEASE_MS;
  }

  /** Takes this many ids from the current block, or from a new block. */
  async function take(count: number): Promise<bigint[]> {
    if (!isCurrent() || block.end - block.next < count) {
      const usedUp = isCurrent() && block.next === block.end;
      const size = Math.max(count, usedUp ? Math.min(block.size * 2, MAX_LEASE) : 1);
      const leasedAtMs = clock();
      const next = await store.reserveIds(size);
      block = { next, end: next + BigInt(size), size, leasedAtMs };
    }
    return Array.from({ length: count }, () => block.next++);
  }

  const takeOne = createBatcher<undefined, bigint>(
    { send: (asked) => take(asked.length), sizeOf: () => 1, maxSize: MAX_LEASE },
    clock,
  );

  return {
    ...store,
    reserveId: async () => (isCurrent() && block.next < block.end ? block.next++ : takeOne(undefined)),
  };
}
