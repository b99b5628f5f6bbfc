import { createAccounts } from '../../../src/features/limiter/accounts.js';
import { createQuotaLimiter } from '../../../src/features/limiter/quota-limiter.js';
import { countOf, type QuotaStore } from '../../../src/features/limiter/quota-store.js';
import { createRedisQuotaStore } from '../../../src/features/limiter/redis-quota-store.js';
import type { Meter } from '../../../src/features/plans/window.js';
import { systemClock } from '../../../src/lib/clock.js';
import { createLogger } from '../../../src/lib/logger.js';
import { freshMeter } from '../../contract/limiter.js';
import { createStoreLimiter } from '../../support/store-limiter.js';

/** As many as a process keeps. */
const KEPT = 50_000;
const log = createLogger({ level: 'silent', pretty: false });

/** Admits everything, and everything uses up its windows. */
const full: QuotaStore = {
  decide: (meter) => Promise.resolve({ free: 1, windows: usedUp(meter) }),
  add: (meter) => Promise.resolve(usedUp(meter)),
  read: (meters) => Promise.resolve(meters.map(usedUp)),
  remove: () => Promise.resolve(),
};
const usedUp = ({ windows }: Meter) => windows.map((window) => countOf(window, window.limit, 60_000));

test('a store that throws where it should reject leaves no request without an answer', async () => {
  const broken = {
    ...full,
    decide() {
      throw new TypeError('a mistake');
    },
  };
  const limiter = createStoreLimiter(broken, systemClock);
  const meter = freshMeter(10, 1000);
  const charges = await Promise.allSettled([limiter.charge(meter, 1), limiter.charge(meter, 2)]);
  expect(charges.map((charge) => charge.status === 'rejected' && String(charge.reason))).toEqual([
    'TypeError: a mistake',
    'TypeError: a mistake',
  ]);
});

test('a mistake in the code that calls the store begins no outage', async () => {
  const client = {
    status: 'ready',
    isCluster: true,
    evalsha: () => Promise.reject(new TypeError('a mistake')),
  };
  const store = createRedisQuotaStore(client as never);
  const { limiter, close } = createQuotaLimiter(
    { name: 'redis', store, canLoseCounts: true },
    1,
    log,
    systemClock,
  );
  await expect(limiter.charge(freshMeter(10, 1000), 1)).rejects.toThrow(new TypeError('a mistake'));
  expect(limiter.state()).toMatchObject({ down: false, outages: 0 });
  await close();
});

test('a process keeps no more accounts than its bound, though all of them were just used', async () => {
  const accounts = createAccounts(full, { clock: systemClock });
  const meters = Array.from({ length: KEPT + 600 }, () => freshMeter(1, 1));
  for (const meter of meters) await accounts.charge(meter, 1);
  const known = meters.filter((meter) => accounts.remembered(meter) !== undefined);
  expect(known.length).toBeGreaterThan(KEPT / 2);
  expect(known.length).toBeLessThanOrEqual(KEPT);
}, 60_000);
