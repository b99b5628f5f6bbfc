import { setTimeout as sleep } from 'node:timers/promises';
import { createLeasingLimiter } from '../../support/store-limiter.js';
import { createStoreLimiter } from '../../support/store-limiter.js';
import { systemClock } from '../../../src/lib/clock.js';
import { freshMeter } from '../../contract/limiter.js';
import { fallbackOver } from '../../support/fallback-limiter.js';
import { createMemoryQuotaStore } from '../../support/memory-quota-store.js';
import { quotaStoreThrough, type ThroughStore } from '../../support/quota-store-through.js';

const ONE_WAY_MS = 150;
const COST = 20;
const LIMIT = 20_000;
/** The requests that fit, and those that do not. */
const [FITTING, TOO_MANY] = [220, 100];
const BETWEEN_MS = 25;

test('a slow store admits exactly what fits, and a rejection beside other requests is no outage', async () => {
  const memory = createMemoryQuotaStore(systemClock);
  const late: ThroughStore = async (call) => {
    await sleep(ONE_WAY_MS);
    const answer = await call();
    await sleep(ONE_WAY_MS);
    return answer;
  };
  const leasing = createLeasingLimiter(createStoreLimiter(quotaStoreThrough(memory, late), systemClock));
  const outages: unknown[] = [];
  const limiter = fallbackOver(leasing, {
    callTimeoutMs: 2000,
    retryMs: 1000,
    probe: () => late(() => Promise.resolve(), ''),
    onOutage: (error) => outages.push(error),
  });
  const meter = freshMeter(LIMIT, 1_000_000);
  await limiter.charge(meter, LIMIT - FITTING * COST);
  const asked: Promise<boolean>[] = [];
  for (let i = 0; i < FITTING + TOO_MANY; i++) {
    asked.push(limiter.charge(meter, COST).then(({ admitted }) => admitted));
    await sleep(BETWEEN_MS);
  }
  const admitted = (await Promise.all(asked)).filter(Boolean).length;
  await leasing.close();
  await limiter.close();
  expect({ outages, admitted }).toEqual({ outages: [], admitted: FITTING });
}, 60_000);
