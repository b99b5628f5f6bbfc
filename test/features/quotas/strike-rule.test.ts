import {
  createMongoStrikesStore,
  strikesCollection,
} from '../../../src/features/quotas/mongo-strikes-store.js';
import { createStrikes } from '../../../src/features/quotas/strikes.js';
import type { StrikesStore } from '../../../src/features/quotas/strikes-store.js';
import { wholeSeconds } from '../../../src/lib/clock.js';
import { makeCollections } from '../../support/make-collections.js';
import { backsOff, every, obeys, randomFrom, type RetryPolicy } from '../../support/retry-policies.js';
import { useRawDatabase } from '../../support/use-raw-database.js';

/**
 * The table of docs/quotas.md: which clients get strikes and bans, by simulated time, with fixed seeds. The strikes are
 * decided by the code of the gateway and by MongoDB; only the windows of the key are a model.
 * test/thorough/strikes-live.test.ts runs rows of it against a gateway.
 */
const policy = { loopSeconds: 24, strikes: 10, strikeWindowSeconds: 300 };
const SEEDS = Number(process.env['STRIKE_SEEDS'] ?? '2');
const START = 1_876_219_200;
const LATENCY_SECONDS = 0.005;

const { raw } = useRawDatabase();
let store: StrikesStore;
let keys = 0;

beforeAll(async () => {
  store = createMongoStrikesStore(await makeCollections(raw(), strikesCollection), policy);
});

type Wait = 'a minute' | 'a used-up day';
interface Outcome {
  strikes: number;
  /** Seconds from the first 429 to the ban. */
  bannedAfter: number | undefined;
}

/** Runs clients that share one key, and ends at a ban or after `seconds`. */
async function simulate(clients: readonly RetryPolicy[], wait: Wait, seconds: number): Promise<Outcome> {
  const keyId = `key ${keys++}`;
  let now = 0;
  const strikes = createStrikes(() => (START + now) * 1000);
  const minute = { end: 0, used: 0 };
  let first429: number | undefined;
  let most = 0;

  /** Returns seconds to wait, 0 if admitted. */
  function retryAfter(): number {
    if (wait === 'a used-up day') return 20 * 3600 - now;
    if (now >= minute.end) Object.assign(minute, { end: now + 60, used: 0 });
    if (minute.used >= 60) return minute.end - now;
    minute.used += 1;
    return 0;
  }

  const turns = clients.map((client) => ({ at: client.startsAfter ?? 0, client }));
  for (;;) {
    const turn = turns.reduce((a, b) => (b.at < a.at ? b : a));
    if (turn.at > seconds) return { strikes: most, bannedAfter: undefined };
    now = turn.at;
    const retryAfterMs = retryAfter() * 1000;
    if (retryAfterMs > 0) {
      first429 ??= now;
      const refusal = { admitted: false, windows: [], refusedBy: [], retryAfterMs } as const;
      // Every window of the refusal is used up.
      const used = [{ name: 'minute', limit: 60, used: 60, remaining: 0, resetAtMs: undefined } as const];
      if (strikes.observe(keyId, { ...refusal, windows: used })) {
        const added = await store.add(keyId, Math.floor(START + now));
        if (added.bans) return { strikes: policy.strikes + 1, bannedAfter: now - first429 };
        most = Math.max(most, added.strikes);
      }
    }
    turn.at =
      now + LATENCY_SECONDS + turn.client.next(retryAfterMs === 0 ? undefined : wholeSeconds(retryAfterMs));
  }
}

const seeds = Array.from({ length: SEEDS }, (_, i) => i + 1);
const waits: readonly Wait[] = ['a minute', 'a used-up day'];
const times = <T>(length: number, make: () => T) => Array.from({ length }, make);

describe.each(waits)('with %s to wait', (wait) => {
  test.each([
    ['one client, ten requests a second', 1, 0.1],
    ['one client, a hundred requests a second', 1, 0.01],
    ['one client, a pause of 0.3 s', 1, 0.3],
    ['one client, a pause of 0.4 s', 1, 0.4],
    ['15 clients, one request a second each', 15, 1],
    ['15 clients, ten requests a second each', 15, 0.1],
  ])('a loop is banned within 35 s: %s', async (_what, clients, pause) => {
    const { bannedAfter } = await simulate(
      times(clients, () => every(pause)),
      wait,
      120,
    );
    expect(bannedAfter).toBeLessThanOrEqual(35);
  });

  test.each([
    ['waits for Retry-After', () => [obeys()]],
    ['waits for Retry-After, on 16 machines', (random) => times(16, () => obeys(random() * 2))],
    [
      'waits for Retry-After, on 16 machines that ask every ten seconds',
      (random) => times(16, () => obeys(random() * 10, 10)),
    ],
    ['backs off exponentially', () => [backsOff({})]],
    ['backs off exponentially up to 30 s', () => [backsOff({ capSeconds: 30 })]],
    ['backs off exponentially up to 5 s', () => [backsOff({ capSeconds: 5 })]],
    ['backs off exponentially with full jitter', (random) => [backsOff({ random })]],
    [
      'backs off exponentially up to 30 s with full jitter',
      (random) => [backsOff({ random, capSeconds: 30 })],
    ],
    [
      'backs off by half more each time, from 0.1 s',
      () => [backsOff({ firstSeconds: 0.1, factor: 1.5, capSeconds: 30 })],
    ],
    ['comes every ten seconds', () => [every(10)]],
    ['comes every 25 seconds', () => [every(25)]],
  ] satisfies [string, (random: () => number) => RetryPolicy[]][])(
    'a client gets no strike that %s',
    async (_what, clients) => {
      for (const seed of seeds)
        expect(await simulate(clients(randomFrom(seed)), wait, 900)).toEqual({
          strikes: 0,
          bannedAfter: undefined,
        });
    },
  );

  test.each([
    ['from 1 s', { firstSeconds: 1 }],
    ['from 0.1 s', { firstSeconds: 0.1 }],
    ['from 0.5 s up to 60 s', { firstSeconds: 0.5, capSeconds: 60 }],
    ['from 1 s up to 30 s', { firstSeconds: 1, capSeconds: 30 }],
  ])('15 clients with full jitter %s are not banned within three minutes', async (_what, options) => {
    for (const seed of seeds) {
      const random = randomFrom(seed);
      const { bannedAfter } = await simulate(
        times(15, () => backsOff({ ...options, random })),
        wait,
        180,
      );
      expect(bannedAfter).toBeUndefined();
    }
  });
});

// At these paces the minute of 60 requests is used up for less than 35 s, or never.
test.each([0.5, 0.6, 0.7, 0.9, 0.99, 1])(
  'a loop with a pause of %d s is banned within 35 s of a used-up day',
  async (pause) => {
    const { bannedAfter } = await simulate([every(pause)], 'a used-up day', 120);
    expect(bannedAfter).toBeLessThanOrEqual(35);
  },
);

test('a loop that begins hours after the first 429 of the key is banned as soon', async () => {
  const start = 7200;
  const { bannedAfter } = await simulate(
    [obeys(), { ...every(1), startsAfter: start }],
    'a used-up day',
    start + 120,
  );
  expect(bannedAfter).toBeLessThanOrEqual(start + 35);
});
