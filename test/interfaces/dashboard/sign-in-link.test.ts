import { runCommand, runJson } from '../../support/command-line.js';
import { freezeDate, moveDateBy, releaseDate } from '../../support/fake-date.js';
import { startGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { askGraphQL, dataOf } from '../graphql/client.js';
import { dashboardClient, messageOf, refusalOf, type SessionBody } from './client.js';

/** `pets-gateway open` and what becomes of its link. Two nodes, as behind a proxy. */
const ADMIN_API_KEY = 'configured-admin-key-of-this-test';
const OVER = [401, 'invalid_api_key'];

let here: Awaited<ReturnType<typeof startGateway>>;
let there: Awaited<ReturnType<typeof startGateway>>;
let nodes: ReturnType<typeof dashboardClient>[];
let database: { uri: string };
beforeAll(async () => {
  // The proxy of the test says who asks: failed attempts count for a minute.
  const env = { ADMIN_API_KEY, TRUST_PROXY: 'loopback' };
  here = await startGateway({ env });
  there = await startGateway({ env, beside: here });
  nodes = [here, there].map((node) => dashboardClient(node, { host: 'localhost' }));
  const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  uri.pathname = `/${here.databaseName}`;
  database = { uri: uri.href };
});
afterAll(async () => {
  await there.close();
  await here.close();
});
afterEach(releaseDate);

const ownerKey = () => here.keyOn('pro', undefined, { name: 'Owner', role: 'owner' });
const port = () => ({ PORT: new URL(here.url).port });
async function linkFor(key: string, env: Record<string, string> = {}): Promise<URL> {
  const { url } = await runJson<{ url: string }>(database, ['open', '--key', key], { ...port(), ...env });
  return new URL(url);
}
const tokenOf = ({ hash }: URL) => /^#sign-in=([\w-]{43})$/.exec(hash)?.[1] ?? 'no token';

let lastClient = 0;
function post(body: unknown, { node = 0, origin = nodes[0]?.origin ?? '' } = {}) {
  const from = { 'x-forwarded-for': `198.51.100.${++lastClient}` };
  const headers = { ...from, origin, 'content-type': 'application/json' };
  const answer = nodes[node]?.send('POST', '/dashboard/session', headers, JSON.stringify(body));
  if (answer === undefined) throw new Error('no such node');
  return answer;
}
const redeem = (linkToken: unknown, node = 0) => post({ linkToken }, { node });

test('signs in as the key, once', async () => {
  const { apiKey } = await ownerKey();
  const link = await linkFor(apiKey.id);
  expect(`${link.origin}${link.pathname}${link.search}`).toBe(`${here.url}/dashboard`);
  const answer = await redeem(tokenOf(link));
  expect([answer.status, JSON.parse(answer.text)]).toEqual([
    201,
    expect.objectContaining({ role: 'owner', keyId: apiKey.id, projectId: apiKey.projectId }),
  ]);
  const again = await redeem(tokenOf(link));
  expect(refusalOf(again)).toEqual(OVER);
  expect(messageOf(again)).toBe(
    'This sign-in link was used already, or it has expired. Create another one with `npx pets-gateway open`.',
  );
});

test('of many browsers that use it at the same moment, at two nodes, one signs in', async () => {
  const { apiKey } = await ownerKey();
  const token = tokenOf(await linkFor(apiKey.id));
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => redeem(token, i % 2)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => status === 401)).toHaveLength(19);
});

test('ends after two minutes', async () => {
  const { apiKey } = await ownerKey();
  freezeDate();
  const [early, late] = [await linkFor(apiKey.id), await linkFor(apiKey.id)];
  moveDateBy(119_999);
  expect((await redeem(tokenOf(early))).status).toBe(201);
  moveDateBy(1);
  expect(refusalOf(await redeem(tokenOf(late)))).toEqual(OVER);
});

test('ends with its key, and so does a session that it opened', async () => {
  const { apiKey } = await ownerKey();
  const [first, second] = [await linkFor(apiKey.id), await linkFor(apiKey.id)];
  const answer = await redeem(tokenOf(first));
  const cookie = answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
  const who = () => nodes[0]?.send('GET', '/dashboard/session', { cookie });
  expect((await who())?.status).toBe(200);
  await here.services.administration({ role: 'command line' }).revokeApiKey(apiKey.id);
  expect(refusalOf(await redeem(tokenOf(second)))).toEqual(OVER);
  expect((await who())?.status).toBe(401);
});

test.each([
  ['a made-up token', 'A'.repeat(43), [401, 'invalid_api_key']],
  ['no token at all', 'nonsense', [401, 'invalid_api_key']],
  ['a number', 5, [400, 'invalid_request']],
])('%s signs nobody in', async (_what, token, refusal) => {
  expect(refusalOf(await redeem(token))).toEqual(refusal);
});

test('a page of another origin cannot use a link, which stays good', async () => {
  const { apiKey } = await ownerKey();
  const token = tokenOf(await linkFor(apiKey.id));
  const answer = await post({ linkToken: token }, { origin: 'https://elsewhere.example' });
  expect(refusalOf(answer)).toEqual([403, 'forbidden']);
  expect((await redeem(token)).status).toBe(201);
});

test('a key and a link together are a mistake, and the link stays good', async () => {
  const { apiKey, secret } = await ownerKey();
  const linkToken = tokenOf(await linkFor(apiKey.id));
  const answer = await post({ linkToken, apiKey: secret });
  expect([answer.status, messageOf(answer)]).toEqual([400, 'linkToken: must be omitted if apiKey is given']);
  expect((await redeem(linkToken)).status).toBe(201);
});

describe('the key of the link', () => {
  const open = (args: string[], env: Record<string, string> = {}) =>
    runCommand(database, ['open', ...args], { ...port(), ...env });

  test('ADMIN_API_KEY, where it is set', async () => {
    const { stdout } = await open([], { ADMIN_API_KEY });
    const answer = await redeem(tokenOf(new URL(stdout.trim())));
    expect(JSON.parse(answer.text) as SessionBody).toMatchObject({ role: 'admin', keyName: 'ADMIN_API_KEY' });
  });

  test('the only admin key; without one and with two, the address alone and what to do', async () => {
    const none = await open([]);
    expect([none.code, none.stdout]).toEqual([0, `${here.url}/dashboard\n`]);
    expect(none.stderr).toBe(
      'You need a key to sign in, because there is no admin key. Create one with `npx pets-gateway keys create --role admin`, then run this command again.\n',
    );
    const { apiKeys } = here.services;
    const admins = [await apiKeys.create({ name: 'First', role: 'admin' })];
    const one = await open([]);
    expect(JSON.parse((await redeem(tokenOf(new URL(one.stdout.trim())))).text)).toMatchObject({
      keyName: 'First',
    });
    admins.push(await apiKeys.create({ name: 'Second', role: 'admin' }));
    const two = await open([]);
    expect([two.code, two.stdout]).toEqual([0, `${here.url}/dashboard\n`]);
    const named = admins.map(({ apiKey }) => `--key ${apiKey.id} (${apiKey.name})`);
    expect(two.stderr).toBe(
      `You need a key to sign in, because there are several admin keys. Choose one: ${named.join(', ')}.\n`,
    );
    const second = await open(['--key', 'Second']);
    expect(JSON.parse((await redeem(tokenOf(new URL(second.stdout.trim())))).text)).toMatchObject({
      keyName: 'Second',
    });
    for (const name of ['Third', 'Fourth', 'Fifth', 'Sixth'])
      admins.push(await apiKeys.create({ name, role: 'admin' }));
    const { stderr } = await open([]);
    expect(stderr.match(/--key key_\w+ \(\w+\)/g)).toHaveLength(5);
    expect(stderr).toMatch(/ \(Fifth\), …\.\n$/);
    for (const { apiKey } of admins) await apiKeys.revoke(apiKey.id);
  });

  test('not a server key, and not a revoked one', async () => {
    const server = await here.keyOn('free');
    expect(await open(['--key', server.apiKey.id])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('This key has the role server.') as string,
    });
    const { apiKey } = await ownerKey();
    await here.services.apiKeys.revoke(apiKey.id);
    expect(await open(['--key', apiKey.id])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is revoked') as string,
    });
  });

  test('none with --no-sign-in, and none for other pages', async () => {
    for (const [args, path] of [
      [['--no-sign-in'], '/dashboard'],
      [['docs'], '/docs'],
    ] as const)
      expect(await open([...args])).toEqual({ code: 0, stdout: `${here.url}${path}\n`, stderr: '' });
  });
});

test('the audit log names the person who made the link', async () => {
  const { apiKey } = await ownerKey();
  await linkFor(apiKey.id);
  const { auditLog } = await dataOf(
    askGraphQL<{ auditLog: { edges: { node: Record<string, unknown> }[] } }>(
      here,
      ADMIN_API_KEY,
      `{ auditLog(first: 1, apiKeyId: "${apiKey.id}") { edges { node { action actorSystemUser projectId changes { property } } } } }`,
    ),
  );
  expect(auditLog.edges[0]?.node).toEqual({
    action: 'session.createLink',
    actorSystemUser: expect.stringContaining('@') as string,
    projectId: apiKey.projectId,
    changes: [{ property: 'expiresAt' }],
  });
});

test('the token and the hash of the secret are in no log and not in the database', async () => {
  const { apiKey } = await ownerKey();
  const tokens = [tokenOf(await linkFor(apiKey.id)), tokenOf(await linkFor(apiKey.id))];
  const raw = await rawDatabase(here);
  try {
    const stored = JSON.stringify(await raw.db?.collection('signInLinks').find().toArray());
    expect(stored).toContain(apiKey.id);
    for (const hidden of [...tokens, apiKey.secrets[0]?.hash ?? 'no hash'])
      expect(stored).not.toContain(hidden);
  } finally {
    await raw.close();
  }
  expect((await redeem(tokens[0])).status).toBe(201);
  expect(refusalOf(await redeem(tokens[0]))).toEqual(OVER);
  for (const token of tokens) expect([...here.logLines, ...there.logLines].join()).not.toContain(token);
});
