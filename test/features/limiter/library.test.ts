import { RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterStoreAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js';
import { createAccounts } from '../../../src/features/limiter/accounts.js';
import { QuotaStoreError } from '../../../src/features/limiter/limiter.js';
import { createOutages } from '../../../src/features/limiter/outage.js';
import { createStoreLimiter } from '../../support/store-limiter.js';
import { systemClock } from '../../../src/lib/clock.js';
import { freshMeter } from '../../contract/limiter.js';
import { fallbackOver } from '../../support/fallback-limiter.js';
import { createMemoryQuotaStore } from '../../support/memory-quota-store.js';
import { until } from '../../support/until.js';

/** What the limiter relies on in rate-limiter-flexible: its class for stores is documented, but not exported. */
class Recorded extends RateLimiterStoreAbstract<number, RateLimiterRes, { note: string }> {
  readonly asked: unknown[] = [];

  constructor(
    private readonly answer: () => Promise<number>,
    insuranceLimiter?: Recorded,
  ) {
    super({
      storeClient: {},
      points: 10,
      duration: 0,
      keyPrefix: '',
      ...(insuranceLimiter && { insuranceLimiter }),
    });
  }

  protected override _upsert(...asked: unknown[]): Promise<number> {
    this.asked.push(asked);
    return this.answer();
  }

  protected override _get(...asked: unknown[]): Promise<number> {
    this.asked.push(asked);
    return this.answer();
  }

  protected override _delete(): Promise<boolean> {
    return Promise.resolve(true);
  }

  protected override _getRateLimiterRes(_key: string, _points: number, consumed: number): RateLimiterRes {
    return new RateLimiterRes(0, 0, consumed, false);
  }
}

const given = { note: 'as given' };

test('consume asks _upsert once, with the key, the points and the options', async () => {
  const limiter = new Recorded(() => Promise.resolve(3));
  await limiter.consume('key', 3, given);
  expect(limiter.asked).toEqual([['key', 3, 0, false, given]]);
});

test.each([
  [10, 'resolves'],
  [11, 'rejects'],
])('consume of 10 points at which %i are consumed %s with the result', async (consumed, outcome) => {
  const consuming = new Recorded(() => Promise.resolve(consumed)).consume('key', 1, given);
  const [settled] = await Promise.allSettled([consuming]);
  expect(settled).toMatchObject(
    outcome === 'resolves'
      ? { status: 'fulfilled', value: { consumedPoints: 10 } }
      : { status: 'rejected', reason: { consumedPoints: 11 } },
  );
});

test('an error of the store is handed to the insurance with all that was given, for consume and get', async () => {
  const insurance = new Recorded(() => Promise.resolve(1));
  const limiter = new Recorded(() => Promise.reject(new Error('cut')), insurance);
  expect(await limiter.consume('key', 3, given)).toMatchObject({ consumedPoints: 1 });
  expect(await limiter.get('key', given)).toMatchObject({ consumedPoints: 1 });
  expect(insurance.asked).toEqual([
    ['key', 3, 0, false, given],
    ['key', given],
  ]);
});

test('a mistake in the code is no outage: nobody is admitted without the store for it', async () => {
  const memory = createMemoryQuotaStore(systemClock);
  const limiter = fallbackOver(
    createStoreLimiter({ ...memory, decide: () => Promise.reject(new TypeError('a mistake')) }, systemClock),
  );
  await expect(limiter.charge(freshMeter(10, 10), 1)).rejects.toThrow('a mistake');
  expect(limiter.state()).toMatchObject({ down: false, decidedLocally: 0 });
  await limiter.close();
});

test('what the insurance decides after the store has recovered reaches the store at once', async () => {
  const memory = createMemoryQuotaStore(systemClock);
  let isUp = false;
  const store = {
    ...memory,
    decide: (...asked: Parameters<typeof memory.decide>) =>
      isUp ? memory.decide(...asked) : Promise.reject(new QuotaStoreError(new Error('cut'))),
  };
  const accounts = createAccounts(store, { clock: systemClock });
  const outages = createOutages(accounts, {
    ...{ isShared: false, callTimeoutMs: 1000, retryMs: 1, holdMs: 1 },
    probe: () => (isUp ? Promise.resolve() : Promise.reject(new Error('cut'))),
    onOutage: () => undefined,
    onRecovery: () => undefined,
  });
  const meter = freshMeter(10, 1000);
  await expect(accounts.charge(meter, 3)).rejects.toBeInstanceOf(QuotaStoreError);
  isUp = true;
  await until('the recovery', () => Promise.resolve(!outages.state().down));
  // The library hands the failed charge over only now.
  expect(await outages.insurance.charge(meter, 3)).toMatchObject({ admitted: true });
  await until(
    'the store to have it, without another request',
    async () => (await memory.read([meter]))[0]?.every(({ consumedPoints }) => consumedPoints === 3) === true,
  );
  expect(await accounts.charge(meter, 8)).toMatchObject({ admitted: false });
  await outages.close();
});
