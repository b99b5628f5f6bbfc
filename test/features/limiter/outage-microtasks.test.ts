import type { FallbackLimiter } from '../../support/store-limiter.js';
import { createLeasingLimiter } from '../../support/store-limiter.js';
import { QuotaStoreError } from '../../../src/features/limiter/limiter.js';
import type { QuotaStore } from '../../../src/features/limiter/quota-store.js';
import { createStoreLimiter, type StoreLimiter } from '../../support/store-limiter.js';
import { systemClock } from '../../../src/lib/clock.js';
import { freshMeter } from '../../contract/limiter.js';
import { fallbackOver } from '../../support/fallback-limiter.js';
import { createMemoryQuotaStore } from '../../support/memory-quota-store.js';
import { turns } from '../../support/turns.js';
import { until } from '../../support/until.js';

const cut = () => new QuotaStoreError(new Error('cut'));

let limiter: FallbackLimiter;
afterEach(() => limiter.close());

function afterMicrotasks(count: number, run: () => void): void {
  if (count <= 0) run();
  else queueMicrotask(() => afterMicrotasks(count - 1, run));
}

describe.each([
  ['without leases', 100, (primary: StoreLimiter) => primary],
  ['with leases', 20_000, (primary: StoreLimiter) => createLeasingLimiter(primary)],
])('%s', (_, limit, wrap) => {
  test.each(Array.from({ length: 17 }, (_none, i) => i - 8))(
    'an answer that arrives %i microtasks after an outage of another key counts once',
    async (delay) => {
      const memory = createMemoryQuotaStore(systemClock);
      const [key, failing] = [freshMeter(limit, limit), freshMeter(limit, limit)];
      const gates = new Map<string, () => void>();
      let isHeld = false;
      const store: QuotaStore = {
        ...memory,
        async decide(meter, ...given) {
          const answer = await memory.decide(meter, ...given);
          if (!isHeld) return answer;
          await new Promise<void>((resolve) => gates.set(meter.id, resolve));
          if (meter.id === failing.id) throw cut();
          return answer;
        },
      };
      limiter = fallbackOver(wrap(createStoreLimiter(store, systemClock)));
      await limiter.charge(key, 1);
      isHeld = true;
      const charges = [limiter.charge(key, 7), limiter.charge(failing, 1)];
      await until('both are asked', () => Promise.resolve(gates.size === 2));
      afterMicrotasks(delay, gates.get(key.id) ?? cut);
      afterMicrotasks(-delay, gates.get(failing.id) ?? cut);
      await Promise.all(charges);
      isHeld = false;
      await until('the recovery', () => Promise.resolve(!limiter.state().down));
      await limiter.peek(key);
      await turns(20);
      const [minute] = (await memory.read([key]))[0] ?? [];
      expect(minute?.consumedPoints).toBe(8);
    },
  );
});

test.each(Array.from({ length: 16 }, (_, i) => i))(
  'while others settle, what is admitted %i microtasks after a settlement reaches the store at once',
  async (delay) => {
    const memory = createMemoryQuotaStore(systemClock);
    const meter = freshMeter(60, 1000);
    let isUp = false;
    let adds = 0;
    const store: QuotaStore = {
      ...memory,
      decide: (...given) => (isUp ? memory.decide(...given) : Promise.reject(cut())),
      async add(...given) {
        if (!isUp) throw cut();
        const counts = await memory.add(...given);
        adds += 1;
        if (adds === 2) afterMicrotasks(delay, () => void limiter.charge(meter, 1));
        return counts;
      },
    };
    limiter = fallbackOver(createStoreLimiter(store, systemClock), {
      shares: 2,
      holdMs: 60_000,
      probe: () => (isUp ? Promise.resolve() : Promise.reject(cut())),
    });
    await limiter.charge(meter, 1);
    isUp = true;
    await until('the settlement', () => Promise.resolve(adds === 1));
    await turns(3);
    await limiter.charge(meter, 1);
    await turns(20);
    const [minute] = (await memory.read([meter]))[0] ?? [];
    expect(minute?.consumedPoints).toBe(3);
  },
);

test('a recovery waits until each request that the outage found in progress is decided', async () => {
  const memory = createMemoryQuotaStore(systemClock);
  const [stuck, failing] = [freshMeter(60, 1000), freshMeter(60, 1000)];
  const store: QuotaStore = {
    ...memory,
    decide: ({ id }) =>
      new Promise((_resolve, reject) => {
        if (id === stuck.id) return;
        setImmediate(() => reject(cut()));
        // The time of the next probe comes before the event loop goes on.
        setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10));
      }),
  };
  let isDecided = false;
  const decidedAtRecovery: boolean[] = [];
  limiter = fallbackOver(createStoreLimiter(store, systemClock), {
    retryMs: 1,
    onRecovery: () => void decidedAtRecovery.push(isDecided),
  });
  const waiting = limiter.charge(stuck, 1).then(() => (isDecided = true));
  await limiter.charge(failing, 1);
  await waiting;
  await until('the recovery', () => Promise.resolve(!limiter.state().down));
  expect(decidedAtRecovery[0]).toBe(true);
});
