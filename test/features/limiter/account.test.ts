import { createMemoryQuotaStore } from '../../support/memory-quota-store.js';
import type { QuotaStore } from '../../../src/features/limiter/quota-store.js';
import { createStoreLimiter } from '../../support/store-limiter.js';
import { freshMeter } from '../../contract/limiter.js';

test('a read that was asked before a charge does not hide what the charge saw', async () => {
  const store = createMemoryQuotaStore(Date.now);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const read: QuotaStore['read'] = async (meters) => {
    const counts = await store.read(meters);
    await released;
    return counts;
  };
  const limiter = createStoreLimiter({ ...store, read }, Date.now);
  const meter = freshMeter(10, 1000);
  const peeking = limiter.peekMany([meter]);
  await limiter.charge(meter, 10);
  release();
  await peeking;
  expect(limiter.remembered(meter, 1)).toMatchObject({ refusedBy: ['minute'] });
});

test('a window that can have ended while the store answered does not reject', async () => {
  let stopwatchMs = 0;
  const store = createMemoryQuotaStore(Date.now);
  const decide: QuotaStore['decide'] = async (...asked) => {
    const { free, windows } = await store.decide(...asked);
    // The store decided five seconds before the end of its windows, some time in the 2.5 s that the call took.
    stopwatchMs += 2500;
    return { free, windows: windows.map((counts) => Object.assign(counts, { msBeforeNext: 5000 })) };
  };
  const limiter = createStoreLimiter({ ...store, decide }, Date.now, () => stopwatchMs);
  const meter = freshMeter(10, 1000);
  await limiter.charge(meter, 10);
  stopwatchMs = 4999;
  expect(limiter.remembered(meter, 1)).toMatchObject({ refusedBy: ['minute'] });
  stopwatchMs = 5000;
  expect(limiter.remembered(meter, 1)).toBeUndefined();
});
