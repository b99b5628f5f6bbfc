import { Redis } from 'ioredis';
import { createLogger } from '../../../src/lib/logger.js';
import { NO_RESETS, wholeWindowMs, type Meter } from '../../../src/features/plans/window.js';
import { DAY_MS } from '../../../src/lib/clock.js';
import { QuotaStoreError } from '../../../src/features/limiter/limiter.js';
import { countOf, type QuotaStore } from '../../../src/features/limiter/quota-store.js';
import { createRedisQuotaStore } from '../../../src/features/limiter/redis-quota-store.js';
import { connectRedis, type RedisConnection } from '../../../src/platform/redis/redis-connection.js';
import { freshMeter } from '../../contract/limiter.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { until } from '../../support/until.js';

/** What stands in Redis, on the time of Redis. What a limiter makes of it: limiter-over-redis.test.ts. */
let server: RedisServer;
let connection: RedisConnection;
let store: QuotaStore;
let raw: Redis;

beforeAll(async () => {
  server = await startRedisServer();
  connection = await connectRedis(server.url, createLogger({ level: 'silent', pretty: false }));
  store = createRedisQuotaStore(connection.client);
  raw = new Redis(server.url);
});
afterAll(async () => {
  raw.disconnect();
  await connection.close();
  await server.close();
});

const usedOf = async (meter: ReturnType<typeof freshMeter>) =>
  (await store.read([meter]))[0]?.map(({ consumedPoints }) => consumedPoints);

/** The hash of a key, with the fields of its windows. */
const hashOf = ({ id }: Meter) => `quota:{${id}}`;
const minuteEnds = (meter: Meter, leftMs: number) => raw.hset(hashOf(meter), 'me', Date.now() + leftMs);
/** An aligned window has two sets of fields, by turns. */
const dayField = (startMs: number) => `d${(startMs / DAY_MS) % 2}`;

test('a key is one hash with its hash tag, with its minute and its UTC day', async () => {
  const meter = freshMeter(60, 1000);
  const { free, windows } = await store.decide(meter, [3, 4]);
  expect(free).toBe(60);
  const day = dayField(Date.now() - (Date.now() % DAY_MS));
  const stored = await raw.hgetall(hashOf(meter));
  expect(stored).toMatchObject({ mu: '7', mp: '0', [`${day}u`]: '7', [`${day}p`]: '0' });
  expect(Object.keys(stored)).toHaveLength(6);
  expect(Math.abs(Number(stored['me']) - Date.now() - 60_000)).toBeLessThan(50_000);
  const toMidnightMs = wholeWindowMs('day', Date.now());
  expect(Number(stored[`${day}e`]) % DAY_MS).toBe(0);
  expect(Math.abs((await raw.pttl(hashOf(meter))) - toMidnightMs - 3_600_000)).toBeLessThan(50_000);
  expect(Math.abs((windows[1]?.msBeforeNext ?? 0) - toMidnightMs)).toBeLessThan(50_000);
});

test.each(['1999-12-31', '2000-02-29', '2024-02-29', '2026-03-01', '2100-02-28', '2100-03-01'])(
  'the day of %s',
  async (date) => {
    const meter = freshMeter(60, 1000);
    const then = createRedisQuotaStore(connection.client, () => Date.parse(`${date}T23:59:59.000Z`));
    const { windows } = await then.decide(meter, [1]);
    expect(windows[1]?.msBeforeNext).toBe(1000);
    expect(await raw.hget(hashOf(meter), `${dayField(Date.parse(date))}u`)).toBe('1');
  },
);

test.each([5, 600])('a clock of Redis that is set back by %i s counts no day twice', async (seconds) => {
  const meter = freshMeter(60, 1000);
  let nowMs = Date.parse('2026-03-01T12:00:00.000Z');
  const stepped = createRedisQuotaStore(connection.client, () => nowMs);
  const { windows: known } = await stepped.decide(meter, [5]);
  nowMs -= seconds * 1000;
  const { windows } = await stepped.decide(meter, [1], known);
  expect(windows[1]?.consumedPoints).toBe(6);
});

test('what was counted before midnight is not taken over into the next day', async () => {
  const meter = freshMeter(60, 1000);
  let nowMs = Date.parse('2026-03-01T23:59:58.000Z');
  const stepped = createRedisQuotaStore(connection.client, () => nowMs);
  const { windows: known } = await stepped.decide(meter, [5]);
  nowMs += 3000;
  expect((await stepped.decide(meter, [1], known)).windows[1]?.consumedPoints).toBe(1);
});

test.each([
  { when: 'began a moment before midnight', leftMs: DAY_MS + 500 },
  { when: 'began after midnight, and Redis’s clock is behind', leftMs: DAY_MS - 500 },
])('what is settled of a day that $when counts in the next day', async ({ leftMs }) => {
  const meter = freshMeter(60, 60);
  let nowMs = Date.parse('2026-03-01T23:59:59.500Z');
  const stepped = createRedisQuotaStore(connection.client, () => nowMs);
  await stepped.decide(meter, [60]);
  await stepped.add(meter, [40, 40], [60_000, leftMs]);
  const today = await stepped.read([meter]);
  nowMs += 1000;
  const tomorrow = await stepped.read([meter]);
  expect([today, tomorrow].map(([counts]) => counts?.[1]?.consumedPoints)).toEqual([60, 40]);
});

test('a minute that was prolonged has lost nothing, for processes that know its earlier end', async () => {
  const meter = freshMeter(600, 1000);
  const { windows: known } = await store.decide(meter, [50]);
  await minuteEnds(meter, 10_000);
  const dayLeftMs = known[1]?.msBeforeNext ?? 0;
  await store.add(meter, [20, 20], [40_000, dayLeftMs], [], true);
  const before = [countOf({ limit: 600 }, 50, 10_000), countOf({ limit: 1000 }, 50, dayLeftMs)];
  const { windows } = await store.decide(meter, [1], before);
  expect(windows[0]?.consumedPoints).toBe(71);
  expect(Math.abs((windows[0]?.msBeforeNext ?? 0) - 40_000)).toBeLessThan(10_000);
});

test.each([
  { lost: 'the last counts of a minute', used: 30, leftMs: undefined },
  { lost: 'a minute, so that another one began', used: 1, leftMs: 45_000 },
])(
  'a process that knows more counts, although Redis has lost $lost and it was prolonged',
  async ({ used, leftMs }) => {
    const meter = freshMeter(60, 100_000);
    await store.decide(meter, [1]);
    await minuteEnds(meter, 30_000);
    const { windows: known } = await store.decide(meter, [49]);
    await raw.hset(hashOf(meter), 'mu', used);
    if (leftMs !== undefined) await minuteEnds(meter, leftMs);
    await store.add(meter, [1, 1], [55_000, known[1]?.msBeforeNext ?? 0], [], true);
    const { free, windows } = await store.decide(
      meter,
      Array.from({ length: 60 }, () => 1),
      known,
    );
    expect(free).toBeLessThanOrEqual(10);
    expect(windows[0]?.consumedPoints).toBe(60);
  },
);

test('a process that knows more settles it, although Redis has lost counts of a minute that was prolonged', async () => {
  const meter = freshMeter(60, 100_000);
  await store.decide(meter, [1]);
  await minuteEnds(meter, 30_000);
  const { windows: known } = await store.decide(meter, [49]);
  const left = known.map(({ msBeforeNext }) => msBeforeNext);
  await raw.hset(hashOf(meter), 'mu', 30);
  await store.add(meter, [1, 1], [50_000, left[1] ?? 0], [], true);
  expect((await store.add(meter, [5, 5], left, known))[0]?.consumedPoints).toBe(55);
});

test('counts that Redis has lost are taken over from the processes that know them', async () => {
  const meter = freshMeter(60, 1000);
  const { windows: known } = await store.decide(meter, [40]);
  await store.decide(meter, [5]);
  await raw.flushall();
  expect((await store.decide(meter, [1], known)).free).toBe(20);
  // Another process knew more.
  const toMidnightMs = wholeWindowMs('day', Date.now());
  const moreUntil = (minuteMs: number) => [
    countOf({ limit: 60 }, 45, minuteMs),
    countOf({ limit: 1000 }, 45, toMidnightMs),
  ];
  const sameMinuteMs = Number(await raw.hget(hashOf(meter), 'me')) - Date.now();
  expect((await store.decide(meter, [1], moreUntil(sameMinuteMs))).free).toBe(15);
  expect((await store.decide(meter, [1], moreUntil(sameMinuteMs))).free).toBe(14);
  // A process that knew nothing started the minute over before the one that knew said so.
  await raw.flushall();
  await store.decide(meter, [3]);
  const { free, windows } = await store.decide(meter, [1], moreUntil(20_000));
  expect(free).toBe(60 - 45 - 3);
  expect(windows[0]?.msBeforeNext).toBeLessThanOrEqual(20_000);
});

test('a process that has not heard of it does not undo what another process took back', async () => {
  const meter = freshMeter(60, 1000);
  const { windows: known } = await store.decide(meter, [60]);
  const leftMs = known.map(({ msBeforeNext }) => msBeforeNext);
  await store.add(meter, [-10, -10], leftMs);
  await store.add(meter, [-5, -5], leftMs);
  expect((await store.decide(meter, [1], known)).free).toBe(15);
  expect(await usedOf(meter)).toEqual([46, 46]);
  // What Redis loses is still taken over.
  await raw.flushall();
  expect((await store.decide(meter, [1], known)).free).toBe(0);
});

test('units that were admitted without Redis are added to what their process knows', async () => {
  const meter = freshMeter(60, 1000);
  const { windows: known } = await store.decide(meter, [40]);
  const left = known.map(({ msBeforeNext }) => msBeforeNext);
  await raw.flushall();
  await store.add(meter, [5, 5], left, known);
  expect(await usedOf(meter)).toEqual([45, 45]);
  // Redis knows more by now.
  await store.add(meter, [5, 5], left, known);
  expect(await usedOf(meter)).toEqual([50, 50]);
});

test('what reaches Redis too late is not done', async () => {
  const meter = freshMeter(60, 1000);
  await store.decide(meter, [1]);
  server.pause();
  const answer = Promise.allSettled([store.decide(meter, [5]), store.add(meter, [5, 5], [60_000, DAY_MS])]);
  const askedMs = performance.now();
  await until('it to be too late', () => Promise.resolve(performance.now() - askedMs > 3000));
  server.resume();
  expect((await answer).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await usedOf(meter)).toEqual([1, 1]);
});

test('a clock of Redis that is set forward makes nothing late', async () => {
  let nowMs = Date.now();
  const stepped = createRedisQuotaStore(connection.client, () => nowMs);
  const meter = freshMeter(60, 1000);
  await stepped.decide(meter, [1]);
  nowMs += 10_000;
  expect((await stepped.decide(meter, [1])).free).toBe(59);
});

test('counts of keys that are no more are removed, and no other', async () => {
  const [gone, stays] = [freshMeter(60, 1000), freshMeter(60, 1000)];
  await Promise.all([store.decide(gone, [1]), store.decide(stays, [1])]);
  await store.remove([{ id: gone.id, epochs: NO_RESETS }]);
  expect([await usedOf(gone), await usedOf(stays)]).toEqual([
    [0, 0],
    [1, 1],
  ]);
});

test('counts are there again after kill -9; in between every call fails at once', async () => {
  const meter = freshMeter(60, 1000);
  await store.decide(meter, [42]);
  // appendfsync everysec: while the disk is slow, Redis keeps what it acknowledged in its own memory for up to 2 s.
  await until('the count to be in the file', async () =>
    (await raw.info('persistence')).includes('aof_buffer_length:0\r\n'),
  );
  await server.kill();
  await until('the loss to be seen', () => Promise.resolve(connection.client.status !== 'ready'));
  const refused = expect.any(QuotaStoreError) as unknown;
  await expect(store.decide(meter, [1])).rejects.toEqual(refused);
  await expect(store.add(meter, [1, 1], [1000, 1000])).rejects.toEqual(refused);
  await expect(store.read([meter])).rejects.toEqual(refused);
  await server.restart();
  await until('the connection', () => Promise.resolve(connection.client.status === 'ready'));
  expect(await usedOf(meter)).toEqual([42, 42]);
});
