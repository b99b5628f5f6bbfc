import { connect, type Socket } from 'node:net';
import { rawHead } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { startVictim, type Victim } from './victim.js';

/** Clients with keys whose bodies never end. What they send is small, and so are the limits. */
const MAX_IN_FLIGHT = 64;
const SHARE_OF_ONE_CLIENT = 30;
const SHOP = 'https://shop.example';

let victim: Victim;
let sockets: Socket[];
beforeEach(async () => {
  victim = await startVictim({
    MAX_REQUESTS_IN_FLIGHT: String(MAX_IN_FLIGHT),
    MAX_REQUESTS_IN_FLIGHT_PER_KEY: '10',
    TRUST_PROXY: 'loopback',
  });
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await victim.close();
});

/** Sends `text` on a connection of its own, and does not end the request. Returns what has come back so far. */
function begin(text: string): { answer: () => string; send: (more: string) => void } {
  const socket = connect(Number(new URL(victim.gateway.url).port), '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('error', () => undefined).on('data', (chunk) => (received += chunk.toString()));
  socket.write(text);
  return { answer: () => received, send: (more) => void socket.write(more) };
}

const endless = ['Content-Type: application/json', 'Content-Length: 60000'];
const beginPet = (secret: string, from = '192.0.2.1') =>
  begin(
    `${rawHead('POST /v1/pets HTTP/1.1', 'Host: x', `Authorization: Bearer ${secret}`, ...endless, `X-Forwarded-For: ${from}`)}{`,
  );
const visitorLines = (secret: string, from: string) => [
  'Host: x',
  `Authorization: Bearer ${secret}`,
  `Origin: ${SHOP}`,
  `X-Forwarded-For: ${from}`,
];
const beginQuery = (secret: string, from: string) =>
  begin(`${rawHead('POST /graphql HTTP/1.1', ...visitorLines(secret, from), ...endless)}{`);
/** The key of a shop's page. */
const browserKey = async () =>
  (await victim.gateway.keyOn('business', undefined, { role: 'browser', allowedOrigins: [SHOP] })).secret;
/** Two keys of one project on the Free plan. */
async function twoKeysOfOneProject(): Promise<[string, string]> {
  const { apiKey, secret } = await victim.gateway.keyOn('free');
  const { projectId = '' } = apiKey;
  const second = await victim.gateway.services.apiKeys.create({ name: 'second', projectId });
  return [secret, second.secret];
}

type Begun = ReturnType<typeof begin>;
const statusOf = (answer: string) => Number(answer.split(' ')[1]);
const statusesOf = (begun: readonly Begun[]) =>
  begun.flatMap(({ answer }) => (answer() === '' ? [] : [statusOf(answer())]));
/** Waits until each of them has an answer, or a place. */
function settled(begun: readonly Begun[]): Promise<unknown> {
  const { load } = victim.gateway.services;
  return until('answers and places', () => {
    const { inFlight, receiving } = load.state();
    return Promise.resolve(statusesOf(begun).length + inFlight + receiving === begun.length);
  });
}
const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

/** A client with another key gets its answers, also if its body comes in two pieces. */
async function expectOthersAnswered(): Promise<void> {
  for (let i = 0; i < 3; i++) await victim.expectAlive();
  const pet = '{"name":"Rex","categoryId":7}';
  expect((await victim.post(pet)).status).toBe(201);
  const head = victim.head(
    'POST /v1/pets HTTP/1.1',
    'Content-Type: application/json',
    `Content-Length: ${pet.length}`,
  );
  expect(await inTwoPieces(head + pet.slice(0, 5), pet.slice(5))).toBe(201);
}

/** Sends the rest of a request once the gateway waits for it, or has rejected the request. Returns the status. */
async function inTwoPieces(first: string, rest: string): Promise<number> {
  const received = () => victim.gateway.services.load.state().received;
  const before = received();
  const { answer, send } = begin(first);
  await until('the gateway to wait for the rest', () =>
    Promise.resolve(received() > before || answer() !== ''),
  );
  send(rest);
  await until('an answer', () => Promise.resolve(answer() !== ''));
  return statusOf(answer());
}

describe('bodies that never end', () => {
  test("with the browser key of a shop's page, from two addresses", async () => {
    const secret = await browserKey();
    const begun = times(200, (i) => beginQuery(secret, `192.0.2.${1 + (i % 2)}`));
    await settled(begun);
    expect(new Set(statusesOf(begun))).toEqual(new Set([429, 503]));
    await expectOthersAnswered();
  });

  test('with two server keys of one Free project', async () => {
    const secrets = await twoKeysOfOneProject();
    const begun = times(200, (i) => beginPet(secrets[i % 2] ?? ''));
    await settled(begun);
    expect(new Set(statusesOf(begun))).toEqual(new Set([503]));
    await expectOthersAnswered();
  });

  test('with the keys of several projects', async () => {
    const keys = await Promise.all(times(6, () => victim.gateway.keyOn('free')));
    const begun = times(240, (i) => beginPet(keys[i % 6]?.secret ?? ''));
    await settled(begun);
    await expectOthersAnswered();
  });

  test('with a browser key, from many addresses, leave room for another visitor', async () => {
    const secret = await browserKey();
    const begun = times(200, (i) => beginQuery(secret, `192.0.2.${i}`));
    await settled(begun);
    await expectOthersAnswered();
    const visitor = visitorLines(secret, '198.51.100.1');
    const query = '{"query":"{ pets { id } }"}';
    const head = rawHead(
      'POST /graphql HTTP/1.1',
      ...visitor,
      'Content-Type: application/json',
      `Content-Length: ${query.length}`,
    );
    expect(await inTwoPieces(head, query)).toBe(200);
    const url = '/graphql?query={pets{id}}';
    const headers = { origin: SHOP, 'x-forwarded-for': '198.51.100.1' };
    expect((await victim.gateway.request(url, { key: secret, headers })).status).toBe(200);
  });

  test('of sign-ins, from many addresses, leave room for the visitors of a shop', async () => {
    const secret = await browserKey();
    const begun = times(200, (i) =>
      begin(
        `${rawHead('POST /dashboard/session HTTP/1.1', `Host: ${new URL(victim.gateway.url).host}`, `Origin: ${victim.gateway.url}`, ...endless, `X-Forwarded-For: 192.0.2.${i}`)}{`,
      ),
    );
    await settled(begun);
    const headers = { origin: SHOP, 'x-forwarded-for': '198.51.100.1' };
    const url = '/graphql?query={pets{id}}';
    expect((await victim.gateway.request(url, { key: secret, headers })).status).toBe(200);
    await expectOthersAnswered();
  });

  test('hold up no other request of their key', async () => {
    const begun = times(20, () => beginPet(victim.secret));
    await settled(begun);
    await expectOthersAnswered();
  });

  test('with a browser key are paid for before they come', async () => {
    const secret = await browserKey();
    for (let i = 0; i < SHARE_OF_ONE_CLIENT; i++) {
      const begun = beginQuery(secret, '192.0.2.1');
      await until('its place', () =>
        Promise.resolve(victim.gateway.services.load.state().receiving === 1 || begun.answer() !== ''),
      );
      expect(begun.answer()).toBe('');
      sockets.at(-1)?.destroy();
      await until('no place', () => Promise.resolve(victim.gateway.services.load.state().receiving === 0));
    }
    const last = beginQuery(secret, '192.0.2.1');
    await until('an answer', () => Promise.resolve(last.answer() !== ''));
    expect(statusOf(last.answer())).toBe(429);
  });
});

test('an upload that never ends leaves the places to others', async () => {
  const { services } = victim.gateway;
  const project = await services.projects.create({ name: 'site', plan: 'business' });
  const { secret } = await services.apiKeys.create({ name: 'o', projectId: project.id, role: 'owner' });
  const deploy = await services.deploys.create({ projectId: project.id }, { role: 'owner' });
  begin(
    `${rawHead(`PUT /deploys/${deploy.id}/archive HTTP/1.1`, 'Host: x', `Authorization: Bearer ${secret}`, 'Content-Type: application/gzip', 'Content-Length: 60000')}\u001f`,
  );
  await until('its place', () => Promise.resolve(services.load.state().receiving === 1));
  expect(services.load.state().inFlight).toBe(0);
});
