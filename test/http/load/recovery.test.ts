import { setImmediate as nextTurn } from 'node:timers/promises';
import { createInFlightLimit } from '../../../src/http/load/in-flight-limit.js';

const MAX_IN_FLIGHT = 1000;
const IN_FLIGHT = 64;

function blockFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('after the event loop was late, the limit grows by half in each step, while requests are still rejected', async () => {
  const limit = createInFlightLimit({
    maxInFlight: MAX_IN_FLIGHT,
    maxEventLoopDelayMs: 50,
    onOverload: () => undefined,
    onRecovery: () => undefined,
  });
  limit.start();
  try {
    for (let i = 0; i < IN_FLIGHT; i++) expect(limit.enter()).toBeDefined();
    while (limit.state().limit >= IN_FLIGHT) {
      blockFor(150);
      await nextTurn();
    }
    let steps = 0;
    while (steps < 2) {
      const before = limit.state().limit;
      // Rejected, because more requests are in flight than the limit.
      expect(limit.enter()).toBeUndefined();
      await nextTurn();
      const { limit: after } = limit.state();
      if (after <= before) continue;
      expect(after).toBe(Math.ceil(before * 1.5));
      steps = after >= IN_FLIGHT ? 2 : steps + 1;
    }
  } finally {
    limit.close();
  }
});
