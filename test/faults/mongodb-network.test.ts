import type { Connection } from 'mongoose';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { mongoUriThrough } from '../support/mongo-uri-through.js';
import { rawDatabase } from '../support/raw-database.js';
import { AMPLE } from '../support/rest-client.js';
import { startToxiproxy, type Toxiproxy, type Wire } from '../support/toxiproxy.js';
import { issueKey } from './issue-key.js';
import { GATEWAY_ENV, liveThrough, QUOTA, type Fault } from './live-through.js';
import { wireFaults } from './wire-faults.js';

/** 3 s to learn who calls, 2 s for the quota, 5 s for the rest; and what a busy machine adds. */
const BOUND_MS = 10_000 + 2000;
/** So that whoever would wait until the end of the fault is found out. */
const LONGER_THAN_BOUND_MS = BOUND_MS + 2000;

const database = freshDatabase();
let toxiproxy: Toxiproxy;
let wire: Wire;
let connection: Connection;
/** One for all the faults, one after the other: it is never started anew. */
let gateway: GatewayProcess;
let secret: string;

beforeAll(async () => {
  toxiproxy = await startToxiproxy();
  wire = await toxiproxy.wireTo(Number(new URL(database.uri).port));
  gateway = await startGatewayProcess({
    ...GATEWAY_ENV,
    MONGODB_URI: mongoUriThrough(database.uri, wire.port),
  });
  ({ secret } = await issueKey(database, AMPLE));
  connection = await rawDatabase({ databaseName: database.dbName });
}, 120_000);
afterAll(async () => {
  await wire.mend();
  const code = await gateway.stop();
  await connection.close();
  await database.drop();
  await toxiproxy.close();
  expect(code).toBe(0);
}, 60_000);

const { late, answersSwallowed, allSwallowed, reset, slow, down, flapping } = wireFaults(() => wire);
const through = (fault: Fault) =>
  liveThrough(fault, { url: gateway.url, secret, database, connection, boundMs: BOUND_MS });

test.each([
  late(5000)('MongoDB answers 5 s late', 7000),
  answersSwallowed('the network swallows the answers of MongoDB', LONGER_THAN_BOUND_MS),
  allSwallowed('the network swallows all between gateway and MongoDB', 8000),
  reset('connections to MongoDB are reset', 4000),
  down('MongoDB refuses connections', 6000),
])(
  '$name: 503 with Retry-After in time, not ready, and all is kept',
  async (fault) => {
    const { outcomes, readyDuring } = await through(fault);
    expect(outcomes['503 service_unavailable']).toBeGreaterThan(0);
    expect(readyDuring.at(-1)).toMatchObject({ status: 503, checks: { mongodb: 'no answer' } });
  },
  120_000,
);

test.each([late(300)('MongoDB answers 300 ms late', 4000), slow('MongoDB answers slowly', 4000)])(
  '$name: slower, no request is refused, and the limits are exact',
  async (fault) => {
    const { outcomes, readyDuring, admitted } = await through(fault);
    expect(admitted).toBeLessThanOrEqual(QUOTA.requestsPerMinute);
    expect(Object.keys(outcomes).sort()).toEqual(['200', '201']);
    expect(new Set(readyDuring.map(({ status }) => status))).toEqual(new Set([200]));
  },
  120_000,
);

test('MongoDB comes and goes: what cannot be answered is 503, and all is kept', async () => {
  const { outcomes } = await through(flapping('MongoDB comes and goes every 300 ms', 5000));
  expect(outcomes['201']).toBeGreaterThan(0);
}, 120_000);
