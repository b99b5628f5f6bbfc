import { dashboardClient, refusalOf } from '../../interfaces/dashboard/client.js';
import { askGraphQL } from '../../interfaces/graphql/client.js';
import { beginRequest, type BegunRequest } from '../../support/begun-request.js';
import type { RawAnswer } from '../../support/raw-http.js';
import { freezeDate, moveDateBy, releaseDate } from '../../support/fake-date.js';
import { startGateway } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';
import { until } from '../../support/until.js';
import { siteOf } from '../publishing/deploys/archives.js';
import { deployClient } from '../publishing/deploys/client.js';

/** Keys and sessions that stop being valid, or change, while a request waits. */
let here: Awaited<ReturnType<typeof startGateway>>;
/** Another node on the same database. What it has cached would live for an hour: it has to hear of a change. */
let there: typeof here;
beforeAll(async () => {
  const env = { KEY_CACHE_TTL_SECONDS: '3600', MAX_REQUESTS_IN_FLIGHT_PER_KEY: '8' };
  here = await startGateway({ env });
  there = await startGateway({ env, beside: here });
  for (const node of [here, there])
    await until(
      'a healthy change stream',
      async () => (await node.services.readiness()).checks['keyChanges'] === 'ok',
    );
});
afterAll(async () => {
  await there.close();
  await here.close();
});
afterEach(() => {
  releaseDate();
  jest.restoreAllMocks();
});

const change = () => here.services.administration({ role: 'command line' });
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
let names = 0;

/** A new project with an owner key, and what a request with it changes. */
async function newOwner() {
  const { secret, apiKey } = await here.keyOn('enterprise', AMPLE, { role: 'owner' });
  const projectId = apiKey.projectId ?? '';
  const petName = `Rex ${++names}`;
  const deploys = deployClient(here, secret, projectId);
  /** Reads the same from the database whether the key works or not. */
  const state = async () => {
    const { pets } = await here.services.pets.list({ limit: 100 });
    return {
      pets: pets.filter(({ name }) => name === petName).length,
      keys: (await here.services.apiKeys.list({ projectId })).length,
      site: (await deploys.live())?.['index.html'],
    };
  };
  return { secret, keyId: apiKey.id, projectId, petName, deploys, state };
}
type Owner = Awaited<ReturnType<typeof newOwner>>;

const json = { 'content-type': 'application/json' };
const graphql = (query: string) => ['POST /graphql', json, JSON.stringify({ query })] as const;
const createKey = ({ projectId }: Owner) =>
  graphql(
    `mutation { createApiKey(input: { projectId: "${projectId}", name: "Successor", role: owner }) { secret } }`,
  );

type Kind = (owner: Owner) => Promise<Begin> | Begin;
type Begin = readonly [line: string, headers: Record<string, string>, body: string | Buffer];
const upload: Kind = async ({ deploys }) => {
  const { deploy } = await deploys.create();
  return [
    `PUT /deploys/${deploy.id}/archive`,
    { 'content-type': 'application/gzip' },
    await siteOf('by a revoked key'),
  ];
};
const KINDS: [string, Kind][] = [
  ['a pet over REST', ({ petName }) => ['POST /v1/pets', json, `{"name":"${petName}","categoryId":1}`]],
  [
    'a pet that was created before, under its Idempotency-Key',
    async ({ secret }) => {
      const headers = { ...json, 'idempotency-key': 'again' };
      const body = '{"name":"Created before","categoryId":1}';
      const first = await here.request('/v1/pets', { method: 'POST', key: secret, headers, body });
      expect(first.status).toBe(201);
      return ['POST /v1/pets', headers, body];
    },
  ],
  [
    'a pet over GraphQL',
    ({ petName }) => graphql(`mutation { createPet(input: { name: "${petName}", categoryId: 1 }) { id } }`),
  ],
  ['an owner key', createKey],
  ['the archive of a site', upload],
];

/** The error is in the form of its interface. */
function expectRefused({ status, body }: RawAnswer, expectedStatus: number, code: string): void {
  const text = body === '' ? '{}' : body;
  expect(refusalOf({ status, text, bytes: Buffer.from(text), headers: {} })).toEqual([expectedStatus, code]);
}

async function begin(
  node: typeof here,
  owner: Owner,
  kind: Kind,
  credential: Record<string, string> = bearer(owner.secret),
): Promise<BegunRequest> {
  const [line, headers, body] = await kind(owner);
  const received = kind === upload && jest.spyOn(node.services.deploys, 'receive');
  const begun = await beginRequest(node, line, { ...headers, ...credential }, body);
  if (received !== false)
    await until('the archive to be received', () => Promise.resolve(received.mock.calls.length > 0));
  return begun;
}

describe.each(KINDS)('%s', (_, kind) => {
  test.each(['this node', 'the other node'])(
    'with a key that is revoked on %s: 401 before the body is whole',
    async (which) => {
      const owner = await newOwner();
      const { answer } = await begin(which === 'this node' ? here : there, owner, kind);
      const before = await owner.state();
      await change().revokeApiKey(owner.keyId);
      const refused = await answer;
      expectRefused(refused, 401, 'invalid_api_key');
      expect(refused.headers.get('connection')).toBe('close');
      expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      expect(await owner.state()).toEqual(before);
    },
  );

  test('with a key that was revoked just before the body is whole: 401', async () => {
    const owner = await newOwner();
    const { answer, finish } = await begin(here, owner, kind);
    const before = await owner.state();
    await change().revokeApiKey(owner.keyId);
    finish();
    expectRefused(await answer, 401, 'invalid_api_key');
    expect(await owner.state()).toEqual(before);
  });
});

describe.each<[string, (owner: Owner) => Promise<unknown>]>([
  ['its secret is rotated without an overlap', ({ keyId }) => change().rotateApiKey(keyId, 0)],
  [
    'its secret ends after a rotation',
    async ({ keyId }) => {
      await change().rotateApiKey(keyId, 60);
      freezeDate(Date.now());
      moveDateBy(60_000);
    },
  ],
  ['it is disabled', ({ keyId }) => change().disableApiKey(keyId)],
  ['its project is deleted', ({ projectId }) => change().deleteProject(projectId, 'enterprise project')],
])('a key while %s', (_, end) => {
  test('makes no successor', async () => {
    const owner = await newOwner();
    const { answer, finish } = await begin(here, owner, createKey);
    const before = await owner.state();
    await end(owner);
    finish();
    expectRefused(await answer, 401, 'invalid_api_key');
    expect(await owner.state()).toEqual(before);
  });
});

describe('a session of the dashboard', () => {
  type Session = Awaited<ReturnType<ReturnType<typeof dashboardClient>['enter']>>;
  const client = () => dashboardClient(here, { host: 'localhost' });
  const ENDS: [string, (session: Session, owner: Owner) => Promise<unknown>][] = [
    ['it signs out', (session) => session.leave()],
    [
      'another session ends it',
      async (_session, { secret }) => {
        const other = await client().enter(secret);
        const { status } = await other.send('DELETE', '/dashboard/sessions', other.headers);
        expect(status).toBe(200);
      },
    ],
    ['its key is revoked', (_session, { keyId }) => change().revokeApiKey(keyId)],
    ['its key is disabled', (_session, { keyId }) => change().disableApiKey(keyId)],
  ];

  describe.each(ENDS)('when %s', (_, end) => {
    test.each<[string, string, Kind]>([
      ['makes no key', 'this node', createKey],
      ['makes no key', 'the other node', createKey],
      ['publishes no site', 'this node', upload],
      ['publishes no site', 'the other node', upload],
    ])('it %s on %s', async (_what, which, kind) => {
      const owner = await newOwner();
      const session = await client().enter(owner.secret);
      const credential = {
        origin: 'http://localhost',
        cookie: session.cookie,
        'x-csrf-token': session.csrfToken,
      };
      const node = which === 'this node' ? here : there;
      const { answer } = await begin(node, owner, kind, credential);
      const before = await owner.state();
      await end(session, owner);
      expectRefused(await answer, 401, 'invalid_api_key');
      expect(await owner.state()).toEqual(before);
    });
  });
});

describe('a key that changes meanwhile', () => {
  const pet = KINDS[0]?.[1] ?? upload;

  test('is counted in the windows of its new plan', async () => {
    const owner = await newOwner();
    const caller = await here.services.authenticator.authenticate(owner.secret);
    expect((await here.services.quotas.charge(caller, 60)).refusal).toBeUndefined();
    const { answer, finish } = await begin(here, owner, pet);
    await change().changePlan(owner.projectId, 'free');
    finish();
    const refused = await answer;
    expectRefused(refused, 429, 'rate_limit_exceeded');
    expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
    expect((await owner.state()).pets).toBe(0);
  });

  test('is rejected if it is banned', async () => {
    const owner = await newOwner();
    const { answer, finish } = await begin(here, owner, pet);
    await here.services.apiKeysStore.ban(owner.keyId, Date.now(), here.services.config.ban);
    await until(
      'the node to hear of the ban',
      async () => (await here.request('/v1/pets', { key: owner.secret })).status === 429,
    );
    finish();
    expectRefused(await answer, 429, 'key_banned');
    expect((await owner.state()).pets).toBe(0);
  });

  test('is rejected if it no longer works from the page', async () => {
    const origin = 'https://shop.example';
    const { secret, apiKey } = await here.keyOn('pro', undefined, {
      role: 'browser',
      allowedOrigins: [origin],
    });
    const headers = { ...json, origin, ...bearer(secret) };
    const { answer, finish } = await beginRequest(
      here,
      'POST /graphql',
      headers,
      '{"query":"{ plans { id } }"}',
    );
    await change().updateApiKey(apiKey.id, { allowedOrigins: ['https://other.example'] });
    finish();
    const { status, body } = await answer;
    expect([status, body]).toEqual([403, expect.stringContaining('"forbidden"')]);
  });
});

test('requests that wait for their turn end with the key', async () => {
  const owner = await newOwner();
  const pet = KINDS[0]?.[1] ?? upload;
  const begun = [];
  for (let i = 0; i < 9; i++) begun.push(await begin(here, owner, pet));
  await change().revokeApiKey(owner.keyId);
  for (const { answer } of begun) expectRefused(await answer, 401, 'invalid_api_key');
  expect((await owner.state()).pets).toBe(0);
});

test('a request that waits for its charge while its key is revoked: 401', async () => {
  const owner = await newOwner();
  const { quotas } = here.services;
  const charge = quotas.charge.bind(quotas);
  jest.spyOn(quotas, 'charge').mockImplementationOnce(async (caller, cost) => {
    await change().revokeApiKey(owner.keyId);
    return charge(caller, cost);
  });
  const body = `{"name":"${owner.petName}","categoryId":1}`;
  const answer = await here.request('/v1/pets', { method: 'POST', key: owner.secret, headers: json, body });
  expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('invalid_api_key')]);
  expect((await owner.state()).pets).toBe(0);
});

test('a key that revokes itself acts no more in the same document', async () => {
  const owner = await newOwner();
  const { errors } = await askGraphQL(
    here,
    owner.secret,
    `mutation {
      revokeApiKey(input: { id: "${owner.keyId}" }) { apiKey { state } }
      createPet(input: { name: "${owner.petName}", categoryId: 1 }) { id }
    }`,
  );
  expect(errors).toMatchObject([{ path: ['createPet'], extensions: { code: 'invalid_api_key' } }]);
  expect((await owner.state()).pets).toBe(0);
});
