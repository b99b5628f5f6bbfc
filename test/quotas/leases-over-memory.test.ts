import { createLeasedCounters } from '../../src/quotas/leased-counters.js';
import { describeLeases } from '../contract/leases.js';
import { memoryCounters } from '../support/counters.js';
import { freezeDate, moveDateBy, NOON, releaseDate } from '../support/fake-date.js';
import { until } from '../support/until.js';

const clock = () => Date.now();
const LIMIT = 100_000;
const MINUTE_MS = 60_000;

describeLeases('memory', memoryCounters);

test('a clock that is set back does not make a lease live on', async () => {
  freezeDate(NOON);
  const { counters: store } = await memoryCounters();
  const leased = createLeasedCounters(store, clock);
  const key = '{set back}:minute:0';
  try {
    for (let i = 0; i < 300; i++) {
      await leased.add(key, LIMIT, 1, MINUTE_MS);
      moveDateBy(1);
    }
    moveDateBy(-3_600_000);
    await until('the give-back', async () => (await store.getMany([key]))[0]?.units === 300);
  } finally {
    await leased.close();
    releaseDate();
  }
});
