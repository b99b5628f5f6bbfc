import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import { QUOTAS_COLLECTION } from '../../src/features/limiter/mongo-quota-store.js';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { readinessOf, WITH_CHECKS } from '../support/readiness.js';
import { until } from '../support/until.js';
import { issueKey } from './issue-key.js';
import { createSteppedClock, type SteppedClock } from './stepped-clock.js';

const HOUR_SECONDS = 3600;
const LIMIT = 60;
const QUOTA = { requestsPerMinute: LIMIT, requestsPerDay: 10_000 };

const database = freshDatabase();
let clock: SteppedClock;
let stepped: GatewayProcess;
/** A second gateway on the same database, whose clock is right. */
let right: GatewayProcess;
let connection: Connection;

beforeAll(async () => {
  clock = await createSteppedClock();
  const env = { ...WITH_CHECKS, MONGODB_URI: database.uri, STRIKES_PER_BAN: '1', STRIKE_LOOP_SECONDS: '1' };
  stepped = await startGatewayProcess({ ...env, ...clock.env });
  right = await startGatewayProcess(env);
  connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  // MongoDB itself refuses whatever would take a count below zero: it would be seen as an outage.
  await connection.db?.command({ collMod: QUOTAS_COLLECTION, validator: { 'm.u': { $not: { $lt: 0 } } } });
});
afterEach(() => clock.stepTo(0));
afterAll(async () => {
  const codes = [await stepped.stop(), await right.stop()];
  await connection.close();
  await database.drop();
  await clock.remove();
  expect(codes).toEqual([0, 0]);
  // Neither was the store taken for down, nor anything answered with 500.
  expect(stepped.output()).not.toMatch(/local limits apply|Something went wrong/);
});

const ask = (gateway: GatewayProcess, secret: string) =>
  fetch(`${gateway.url}/v1/pets`, { headers: { authorization: `Bearer ${secret}` } });

/** How many of so many requests at once are admitted; the others are refused, for less than a minute. */
async function admittedOf(count: number, gateway: GatewayProcess, secret: string): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, () => ask(gateway, secret)));
  for (const answer of answers) {
    expect([200, 429]).toContain(answer.status);
    expect(secondsToReset(gateway, answer)).toBeLessThanOrEqual(61);
    expect(Number(answer.headers.get('retry-after') ?? 0)).toBeLessThanOrEqual(61);
  }
  return answers.filter(({ status }) => status === 200).length;
}

/** By the clock of who answered. Its `Date` is no measure: Node renders it once a second. */
function secondsToReset(gateway: GatewayProcess, { headers }: Response): number {
  const nowMs = gateway === stepped ? clock.nowMs() : Date.now();
  return Number(headers.get('x-ratelimit-reset')) - nowMs / 1000;
}

test('an hour forward and back within a window: nothing more is admitted', async () => {
  const { secret } = await issueKey(database, QUOTA);
  expect(await admittedOf(40, stepped, secret)).toBe(40);

  await clock.stepTo(HOUR_SECONDS);
  const ahead = await admittedOf(100, stepped, secret);
  expect(ahead).toBe(20);

  await clock.stepTo(0);
  const back = await admittedOf(100, stepped, secret);
  expect(back).toBe(0);
  process.stderr.write(`an hour forward and back: ${40 + ahead + back} of ${LIMIT} admitted\n`);
});

test('an hour back and forward again within a window: the same', async () => {
  const { secret } = await issueKey(database, QUOTA);
  expect(await admittedOf(40, stepped, secret)).toBe(40);

  await clock.stepTo(-HOUR_SECONDS);
  const behind = await admittedOf(100, stepped, secret);
  await clock.stepTo(0);
  const forward = await admittedOf(100, stepped, secret);
  process.stderr.write(`an hour back and forward again: ${40 + behind + forward} of ${LIMIT} admitted\n`);
  expect([behind, forward]).toEqual([20, 0]);
});

test('two gateways whose clocks differ by an hour admit the limit together, and one says so', async () => {
  await clock.stepTo(HOUR_SECONDS);
  const { secret } = await issueKey(database, QUOTA);
  const first = await admittedOf(100, right, secret);
  const second = await admittedOf(100, stepped, secret);
  const later = await Promise.all([right, stepped].map((gateway) => admittedOf(100, gateway, secret)));
  process.stderr.write(
    `two clocks an hour apart: ${first} and ${second} and ${later.join(', ')} of ${LIMIT} admitted\n`,
  );
  expect([first, second, later]).toEqual([LIMIT, 0, [0, 0]]);

  const checks = async ({ url }: GatewayProcess) => {
    const { status, checks } = await readinessOf(url);
    return [status, checks['clock']];
  };
  expect(await checks(right)).toEqual([200, 'ok']);
  expect(await checks(stepped)).toEqual([
    200,
    expect.stringMatching(/^this clock is (3599|3600)\.\d s ahead of MongoDB's/),
  ]);
});

test('a ban ends by the clock: over while it is ahead, in force when it is right again', async () => {
  const { secret } = await issueKey(database, QUOTA);
  await admittedOf(LIMIT, stepped, secret);
  const banned = await until('the ban', async () => {
    const answer = await ask(stepped, secret);
    return (await codeOf(answer)) === 'key_banned' && answer;
  });
  expect(Number(banned.headers.get('retry-after'))).toBeLessThanOrEqual(60);

  await clock.stepTo(HOUR_SECONDS);
  // Its minute is MongoDB's, and still full.
  expect(await codeOf(await ask(stepped, secret))).toBe('rate_limit_exceeded');
  await clock.stepTo(0);
  const again = await ask(stepped, secret);
  expect([await codeOf(again), Number(again.headers.get('retry-after')) <= 60]).toEqual(['key_banned', true]);
});

test('a retried create is the same pet on either side of a step', async () => {
  const { secret } = await issueKey(database, QUOTA);
  const idempotencyKey = randomUUID();
  const create = async () => {
    const answer = await fetch(`${stepped.url}/v1/pets`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ name: 'Rex', categoryId: 1 }),
    });
    expect(answer.status).toBe(201);
    return answer.text();
  };
  const first = await create();
  for (const offset of [HOUR_SECONDS, 0, -HOUR_SECONDS, 0]) {
    await clock.stepTo(offset);
    expect(await create()).toBe(first);
  }
});

test('without a key, Retry-After is a minute at most, whichever way the clock is set', async () => {
  for (const offset of [HOUR_SECONDS, 0, -HOUR_SECONDS]) {
    await clock.stepTo(offset);
    const answer = await fetch(`${stepped.url}/v1/pets`);
    expect(answer.status).toBe(401);
    expect(secondsToReset(stepped, answer)).toBeLessThanOrEqual(61);
  }
});

async function codeOf(answer: Response): Promise<string | undefined> {
  return ((await answer.json()) as { code?: string }).code;
}
