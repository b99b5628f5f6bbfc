import { applyRetention } from '../../../src/server/retention.js';
import { askGraphQL, codesOf, dataOf } from '../../interfaces/graphql/client.js';
import { dashboardClient } from '../../interfaces/dashboard/client.js';
import { freezeDate, moveDateBy, moveDateTo, NOON, releaseDate } from '../../support/fake-date.js';
import { daysKept } from '../../platform/mongo/days-kept.js';
import { startGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { until } from '../../support/until.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Group {
  interface: string;
  source: string;
  requests: number;
  clientErrors: number;
  refused: number;
  serverErrors: number;
}
interface Sum extends Omit<Group, 'interface' | 'source'> {
  bans: number;
  groups: Group[];
}
interface TrafficNode extends Sum {
  asOf: string;
  periods: (Sum & { start: string })[];
}

const COUNTS = 'requests clientErrors refused serverErrors';
const SUM = `${COUNTS} bans groups { interface source ${COUNTS} }`;

type TestGateway = Awaited<ReturnType<typeof startGateway>>;

let gateway: TestGateway;
let admin: string;
beforeEach(async () => {
  freezeDate(NOON);
  gateway = await startGateway({ env: { STRIKE_LOOP_SECONDS: '1' } });
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' }));
});
afterEach(async () => {
  await gateway.close();
  releaseDate();
});

async function writeTraffic({ services: { load, recorder } }: TestGateway): Promise<void> {
  await until('no request to be under way', () =>
    Promise.resolve(load.state().inFlight + load.state().receiving === 0),
  );
  await recorder.flush();
}

/** @param which the arguments, such as `(by: hour)` */
async function traffic(which = '', node = gateway): Promise<TrafficNode> {
  await writeTraffic(node);
  const query = `{ traffic${which} { asOf ${SUM} periods { start ${SUM} } } }`;
  return (await dataOf(askGraphQL<{ traffic: TrafficNode }>(node, admin, query))).traffic;
}

const group = (apiInterface: string, source: string, counts: Partial<Group>): Group => ({
  interface: apiInterface,
  source,
  requests: 0,
  clientErrors: 0,
  refused: 0,
  serverErrors: 0,
  ...counts,
});

test('each request to the API is counted once, by interface and plan; an admin sees when, and what became of it', async () => {
  const free = await gateway.keyOn('free');
  const small = await gateway.keyOn('enterprise', { requestsPerMinute: 2, requestsPerDay: 100 });
  const rest = (path: string, key?: string) => gateway.request(path, key === undefined ? {} : { key });
  await rest('/v1/pets', free.secret);
  await rest('/v1/dogs', free.secret);
  await askGraphQL(gateway, free.secret, '{ pets { id } }');
  for (let i = 0; i < 5; i++) await rest('/v1/pets', small.secret);
  await rest('/v1/pets');
  await rest('/v1/pets', `pets_live_${'0'.repeat(40)}`);
  await rest('/health/live');
  await rest('/dashboard/session');
  await gateway.request('/v1/pets', {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
  });

  const seen = await traffic();
  const total = { requests: 10, clientErrors: 3, refused: 3, serverErrors: 0, bans: 0 };
  const groups = [
    group('rest', 'enterprise', { requests: 5, refused: 3 }),
    group('rest', 'free', { requests: 2, clientErrors: 1 }),
    group('rest', 'unauthenticated', { requests: 2, clientErrors: 2 }),
    group('graphql', 'free', { requests: 1 }),
  ];
  expect(seen).toMatchObject({ ...total, groups, asOf: new Date(NOON - 5000).toISOString() });
  expect(seen.periods).toHaveLength(60);
  expect(seen.periods[0]).toMatchObject({
    start: new Date(NOON - 59 * MINUTE_MS).toISOString(),
    requests: 0,
    groups: [],
  });
  expect(seen.periods.at(-1)).toMatchObject({ start: new Date(NOON).toISOString(), ...total, groups });
});

test('minutes, hours and days have the same requests, of every gateway, also of one that has stopped', async () => {
  const { secret } = await gateway.keyOn('pro');
  const stopped = await startGateway({ beside: gateway });
  const ask = async (node: TestGateway, count: number) => {
    for (let i = 0; i < count; i++) await node.request('/v1/pets', { key: secret });
  };
  await ask(gateway, 2);
  moveDateTo(NOON + MINUTE_MS);
  await ask(stopped, 3);
  moveDateTo(NOON + HOUR_MS);
  await ask(stopped, 4);
  await stopped.close();

  const requestsOf = ({ periods }: TrafficNode) =>
    periods
      .filter(({ groups }) => groups.some(({ source }) => source === 'pro'))
      .map(({ start, groups }) => [start, groups.find(({ source }) => source === 'pro')?.requests]);
  const at = (ms: number) => new Date(ms).toISOString();
  expect(requestsOf(await traffic('(last: 61)'))).toEqual([
    [at(NOON), 2],
    [at(NOON + MINUTE_MS), 3],
    [at(NOON + HOUR_MS), 4],
  ]);
  expect(requestsOf(await traffic('(by: hour, last: 2)'))).toEqual([
    [at(NOON), 5],
    [at(NOON + HOUR_MS), 4],
  ]);
  expect(requestsOf(await traffic('(by: day, last: 1)'))).toEqual([[at(NOON - 12 * HOUR_MS), 9]]);
});

test('a ban is counted when it starts', async () => {
  const { secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 1, requestsPerDay: 9 });
  const ask = async () => (await gateway.request('/v1/pets', { key: secret })).text();
  for (let i = 0; i < 13; i++) {
    await ask();
    moveDateBy(1000);
  }
  moveDateBy(1000);
  await until('the ban', async () => (await ask()).includes('key_banned'));
  expect(await traffic()).toMatchObject({ bans: 1 });
});

test('`last` out of bounds is rejected', async () => {
  for (const last of [0, 101, -1])
    expect(await codesOf(askGraphQL(gateway, admin, `{ traffic(last: ${last}) { requests } }`))).toEqual([
      'invalid_request',
    ]);
});

test('a dashboard session reads traffic without quota, and adds nothing to it', async () => {
  const session = await dashboardClient(gateway).enter(admin);
  const ask = async () => JSON.parse((await session.graphql('{ traffic { requests } }')).text) as unknown;
  expect([await ask(), await ask()]).toEqual(
    Array<unknown>(2).fill(expect.objectContaining({ data: { traffic: { requests: 0 } } })),
  );
  expect(await traffic()).toMatchObject({ requests: 0 });
});

test('minutes are removed after a day, hours after 30 days, days with the usage', async () => {
  const raw = await rawDatabase(gateway);
  gateway.services.recorder.countBan({ id: 'key_a', projectId: undefined }, NOON);
  await gateway.services.recorder.flush();
  const found = await raw
    .collection<{ _id: string; expiresAt?: Date; endsAt?: Date }>('traffic')
    .find({}, { projection: { expiresAt: 1, endsAt: 1 } })
    .sort({ _id: 1 })
    .toArray();
  const midnight = NOON - 12 * HOUR_MS;
  expect(found).toEqual([
    { _id: 'day 2029-06-15T00:00:00.000Z', endsAt: new Date(midnight + 24 * HOUR_MS) },
    { _id: 'hour 2029-06-15T12:00:00.000Z', expiresAt: new Date(NOON + 30 * 24 * HOUR_MS) },
    { _id: 'minute 2029-06-15T12:00:00.000Z', expiresAt: new Date(NOON + 24 * HOUR_MS) },
  ]);
  await applyRetention(raw, { auditRetentionDays: 30, usageRetentionDays: 7 });
  expect(await daysKept(raw, 'traffic')).toEqual([
    ['expiresAt', 0],
    ['endsAt', 7],
  ]);
  await raw.close();
});
