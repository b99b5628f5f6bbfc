import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { createLogger } from '../../../src/lib/logger.js';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { startEmbeddedMongod, type EmbeddedMongod } from '../../../src/platform/mongod/embedded-mongod.js';
import { createMongoQuotaStore } from '../../../src/features/limiter/mongo-quota-store.js';
import { createQuotaLimiter, type QuotaLimiter } from '../../../src/features/limiter/quota-limiter.js';
import { freshMeter } from '../../contract/limiter.js';
import { testMongod } from '../../support/mongod.js';
import { mustRun } from '../../support/run-program.js';
import { until } from '../../support/until.js';

/** How long a request waits for the store at most; and what a busy test machine adds. */
const LONGEST_WAIT_MS = 2000;
const SLACK_MS = 30_000;

/**
 * Counters in a mongod of their own, so that it can be ended. A gateway whose only MongoDB is down has no keys and no
 * pets either and answers 503; this is about counters that are down alone, and about what holds until keys expire.
 */
let dataDir: string;
let binary: string;
let mongod: EmbeddedMongod;
let connection: Connection;
let quotas: QuotaLimiter;
let logLines: string[];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pets-gateway-test-'));
  binary = await testMongod();
  mongod = await startEmbeddedMongod({ dataDir, binary });
});
afterAll(async () => {
  process.kill(mongod.pid, 'SIGCONT');
  await mongod.stop();
  await rm(dataDir, { recursive: true, force: true });
});

beforeEach(async () => {
  logLines = [];
  connection = await connectMongo({
    uri: mongod.uri,
    defaultDatabase: 'counters',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  const log = createLogger({ level: 'info', pretty: false }, { write: (line) => void logLines.push(line) });
  const store = createMongoQuotaStore(connection);
  quotas = createQuotaLimiter({ name: 'mongodb', store, canLoseCounts: false }, 2, log, () => Date.now());
});
afterEach(async () => {
  await quotas.close();
  await connection.close();
});

async function admittedOf(count: number, meter: ReturnType<typeof freshMeter>) {
  const started = performance.now();
  const decisions = await Promise.all(Array.from({ length: count }, () => quotas.limiter.charge(meter, 1)));
  return {
    admitted: decisions.filter(({ admitted }) => admitted).length,
    tookMs: performance.now() - started,
  };
}
async function kill(): Promise<void> {
  process.kill(mongod.pid, 'SIGKILL');
  await mongod.exited;
}
async function restart(): Promise<void> {
  mongod = await startEmbeddedMongod({ dataDir, binary });
}
/** The signal is only sent when kill returns: on a busy machine mongod answers for a moment yet. */
async function pause(): Promise<void> {
  process.kill(mongod.pid, 'SIGSTOP');
  const state = async () => (await mustRun('ps', ['-o', 'state=', '-p', String(mongod.pid)])).trim();
  await until('mongod to stand still', async () => (await state()).startsWith('T'));
}
const resume = () => void process.kill(mongod.pid, 'SIGCONT');
const logged = (text: string) => logLines.filter((line) => line.includes(text)).length;

test.each<[string, () => unknown, () => unknown]>([
  ['paused with SIGSTOP and resumed', pause, resume],
  ['killed with SIGKILL and started again', kill, restart],
])(
  'mongod %s: in between half of what was left is admitted, afterwards the rest',
  async (_how, end, restore) => {
    const meter = freshMeter(60, 1000);
    expect((await admittedOf(40, meter)).admitted).toBe(40);
    expect(await quotas.check()).toBe('mongodb: ok');

    await end();
    const first = await admittedOf(100, meter);
    expect(first.admitted).toBe(10);
    expect(first.tookMs).toBeLessThan(LONGEST_WAIT_MS + SLACK_MS);
    expect((await admittedOf(100, freshMeter(60, 1000))).admitted).toBe(30);
    // The store is known to be down: nobody waits for it.
    await until('an answer at once', async () => {
      const { tookMs } = await admittedOf(1, freshMeter(60, 1000));
      return tookMs < LONGEST_WAIT_MS / 2;
    });
    expect(await quotas.check()).toBe('mongodb: no answer: local limits apply');

    await restore();
    await until('the recovery', () => Promise.resolve(!quotas.limiter.state().down));
    await until('late charges to be taken back', async () =>
      (await quotas.limiter.peek(meter)).every(({ used }) => used === 50),
    );
    expect((await admittedOf(50, meter)).admitted).toBe(10);
    expect(await quotas.check()).toBe('mongodb: ok');
    expect([logged('local limits apply'), logged('quota store is up again')]).toEqual([1, 1]);
  },
);
