import type { Clock } from '../../lib/clock.js';
import type { PetsStore } from './pets-store.js';
import { createBatcher } from './batcher.js';

const MAX_LEASE = 1000;
/** An id that was not used by then is dropped, so that ids of several processes stay in the order of their creation. */
const LEASE_MS = 1000;

/**
 * Ids are reserved in blocks, durably before the first of a block is used: no failover gives one twice, and what a
 * crash leaves unused is a gap. Blocks begin at one id and double while they are used up in time, so that who adds a
 * pet now and then leaves no gaps.
 */
export function withLeasedIds(store: PetsStore, clock: Clock): PetsStore {
  let block = { next: 0n, end: 0n, size: 0, leasedAtMs: 0 };

  function isCurrent(): boolean {
    const ageMs = clock() - block.leasedAtMs;
    return ageMs >= 0 && ageMs < LEASE_MS;
  }

  /** As many ids as are asked for, of the block at hand or of a new one. */
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
