import { createMemoryQuotaStore } from '../../../src/features/limiter/memory-quota-store.js';
import type { QuotaStore } from '../../../src/features/limiter/quota-store.js';
import { createStoreLimiter } from '../../../src/features/limiter/store-limiter.js';
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
