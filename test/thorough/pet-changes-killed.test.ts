import { startFleet, uriOf } from '../support/fleet.js';
import { useStarted } from '../support/gateway.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { AMPLE } from '../support/rest-client.js';
import { until } from '../support/until.js';
import { startWire, type SilentWire } from '../support/wire.js';

/** What stores a change or a removal of a pet, as BSON, and with an Idempotency-Key the commit of both. */
const CHANGE = Buffer.from('update\0\x05\0\0\0pets\0');
const REMOVAL = Buffer.from('findAndModify\0\x05\0\0\0pets\0');
const COMMIT = Buffer.from('commitTransaction\0');

/** The one that is not killed. */
const fleet = useStarted(() => startFleet(1));
let wire: SilentWire;
let killed: GatewayProcess;
/** After this command, nothing from MongoDB reaches the gateway: its write is stored, and the gateway does not know. */
let last: Buffer | undefined;

beforeEach(async () => {
  last = undefined;
  wire = await startWire(uriOf(fleet.office), (bytes) => {
    if (last !== undefined && bytes.includes(last)) wire.hold();
  });
  killed = await startGatewayProcess({ MONGODB_URI: wire.uri, SEED_DEMO: '0' });
});
afterEach(async () => {
  await killed.stop('SIGKILL');
  wire.close();
});

interface Answer {
  status: number;
  etag: string | null;
  replayed: string | null;
  body: Record<string, unknown>;
}

async function caller() {
  const { secret } = await fleet.office.keyOn('enterprise', AMPLE);
  const authorization = `Bearer ${secret}`;
  return async (
    { url }: { url: string },
    method: string,
    path: string,
    init: RequestInit = {},
  ): Promise<Answer> => {
    const headers = {
      authorization,
      ...(init.body != null && { 'content-type': 'application/json' }),
      ...(init.headers as Record<string, string>),
    };
    const response = await fetch(url + path, { ...init, method, headers });
    const text = await response.text();
    return {
      status: response.status,
      etag: response.headers.get('etag'),
      replayed: response.headers.get('idempotency-replayed'),
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    };
  };
}

/** Sends a change to the gateway that is killed as soon as the change is stored. The client gets no response. */
async function killBetweenWriteAndResponse(
  send: () => Promise<Answer>,
  isStored: () => Promise<boolean>,
  stores = CHANGE,
) {
  last = stores;
  const lost = send().then(
    () => 'a response',
    () => 'no response',
  );
  await until('the change to be stored', isStored);
  await killed.stop('SIGKILL');
  expect(await lost).toBe('no response');
}

function other(): GatewayProcess {
  const [gateway] = fleet.processes;
  if (gateway === undefined) throw new Error('the fleet has no process');
  return gateway;
}
const LUNA = '{"name":"Luna","categoryId":7}';

async function luna(ask: Awaited<ReturnType<typeof caller>>) {
  const created = await ask(other(), 'POST', '/v1/pets', { body: LUNA });
  const path = `/v1/pets/${String(created.body['id'])}`;
  const { etag } = await ask(other(), 'GET', path);
  // The gateway that will be killed knows the key by now.
  await ask(killed, 'GET', path);
  return { path, etag: etag ?? '' };
}

test('kill -9 between a change and its response: the repeated request gets the response of the first', async () => {
  const ask = await caller();
  const { path, etag } = await luna(ask);
  const change = {
    body: '{"status":"pending"}',
    headers: { 'if-match': etag, 'idempotency-key': 'reserve-luna' },
  };
  const read = () => ask(other(), 'GET', path);
  await killBetweenWriteAndResponse(
    () => ask(killed, 'PATCH', path, change),
    async () => (await read()).body['status'] === 'pending',
    COMMIT,
  );
  let again: Answer | undefined;
  await until('the repeated request to be no longer in progress', async () => {
    again = await ask(other(), 'PATCH', path, change);
    return again.status !== 409;
  });
  expect(again).toMatchObject({ status: 200, body: { name: 'Luna', status: 'pending' } });
  expect((await read()).body).toEqual(again?.body);
  expect((await read()).etag).toBe(again?.etag);
});

test('kill -9 between a change and its response: without an Idempotency-Key, the precondition says that it is done', async () => {
  const ask = await caller();
  const { path, etag } = await luna(ask);
  const change = { body: '{"status":"pending"}', headers: { 'if-match': etag } };
  await killBetweenWriteAndResponse(
    () => ask(killed, 'PATCH', path, change),
    async () => (await ask(other(), 'GET', path)).body['status'] === 'pending',
  );
  expect(await ask(other(), 'PATCH', path, change)).toMatchObject({
    status: 412,
    body: { code: 'precondition_failed', details: { name: 'Luna', status: 'pending' } },
  });
});

test('kill -9 between a removal and its response: the pet is gone, and the repeated request says so', async () => {
  const ask = await caller();
  const { path } = await luna(ask);
  await killBetweenWriteAndResponse(
    () => ask(killed, 'DELETE', path),
    async () => (await ask(other(), 'GET', path)).status === 404,
    REMOVAL,
  );
  expect(await ask(other(), 'DELETE', path)).toMatchObject({ status: 404, body: { code: 'pet_not_found' } });
});

test('kill -9 amid many changes: what was acknowledged stays, and nothing is half changed', async () => {
  const ask = await caller();
  const writers = await Promise.all(Array.from({ length: 8 }, () => luna(ask)));
  const acknowledged = new Map<string, number>();
  let isOver = false;
  const writing = writers.map(async ({ path }) => {
    for (let i = 1; !isOver; i += 1) {
      const body = JSON.stringify({ name: `Luna ${i}`, categoryId: i });
      const { status } = await ask(killed, 'PATCH', path, { body }).catch(() => ({ status: 0 }));
      if (status !== 200) return;
      acknowledged.set(path, i);
    }
  });
  await until('each of them to be changed ten times', () =>
    Promise.resolve(writers.every(({ path }) => (acknowledged.get(path) ?? 0) >= 10)),
  );
  await killed.stop('SIGKILL');
  isOver = true;
  await Promise.all(writing);
  for (const { path } of writers) {
    const { body } = await ask(other(), 'GET', path);
    const known = acknowledged.get(path) ?? 0;
    expect([known, known + 1]).toContain(body['categoryId']);
    expect(body['name']).toBe(`Luna ${String(body['categoryId'])}`);
  }
});
