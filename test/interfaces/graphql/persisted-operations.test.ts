import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { print } from 'graphql';
import type { ApiKeyRole } from '../../../src/features/keys/api-key.js';
import { findPageDocuments } from '../../../src/interfaces/dashboard/page-files.js';
import { bodyOf, dashboardClient, messageOf } from '../dashboard/client.js';
import { createStore, PLATFORM_HOST, startPlatform, visit } from '../sites/visitor.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { failGatewayProcess } from '../../support/gateway-process.js';
import { chooseFreePort } from '../../support/free-port.js';
import { AMPLE } from '../../support/rest-client.js';
import type { GraphQLBody } from './client.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const folder = mkdtempSync(join(tmpdir(), 'operations-'));
const ORIGIN = 'https://shop.example';

/** As Apollo's client sends them: it adds __typename. */
const ANIMALS = gql`
  query Animals($first: Int) {
    petsConnection(first: $first) {
      edges {
        node {
          id
          name
          __typename
        }
        __typename
      }
      __typename
    }
  }
`;
const UNLISTED = gql`
  query Unlisted {
    pets {
      id
      __typename
    }
  }
`;
const animals = print(ANIMALS);
const unlisted = print(UNLISTED);
const add = 'mutation Add { createPet(input: { name: "Rex", categoryId: 1 }) { id } }';

const manifestOf = (bodies: readonly string[]) => ({
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: bodies.map((body) => ({
    id: sha256(body),
    name: /\w+ (\w+)/.exec(body)?.[1],
    type: 'query',
    body,
  })),
});
function listed(name: string, list: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(list));
  return file;
}
const env = { GRAPHQL_OPERATIONS_FILE: listed('shop.json', manifestOf([animals, add])) };
const gateways: TestGateway[] = [];
async function start(settings: Record<string, string>): Promise<TestGateway> {
  const gateway = await startGateway({ env: settings });
  gateways.push(gateway);
  return gateway;
}

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await start(env);
});
afterAll(async () => {
  for (const one of gateways) await one.close();
  rmSync(folder, { recursive: true });
});

async function keyOf(role: ApiKeyRole, of = gateway): Promise<string> {
  if (role === 'admin') return (await of.services.apiKeys.create({ name: 'admin', role })).secret;
  const allowedOrigins = role === 'browser' ? [ORIGIN] : undefined;
  return (await of.keyOn('enterprise', AMPLE, { role, allowedOrigins })).secret;
}

const HEADERS = { 'content-type': 'application/json', origin: ORIGIN };
/** Posts it; the HTTP status, the body and what it cost. */
async function post(key: string, body: unknown, headers: Record<string, string> = {}, of = gateway) {
  const answer = await of.request('/graphql', {
    method: 'POST',
    key,
    body: JSON.stringify(body),
    headers: { ...HEADERS, ...headers },
  });
  const { data, errors, extensions } = (await answer.json()) as GraphQLBody;
  return { http: answer.status, data, error: errors?.[0], cost: extensions?.cost.requested };
}

/** Apollo Client with its link for persisted queries, and what it sent. */
function apolloClient(key: string, { url }: TestGateway, useGETForHashedQueries = false) {
  const sent: string[] = [];
  const http = new HttpLink({
    uri: `${url}/graphql`,
    headers: { authorization: `Bearer ${key}`, origin: ORIGIN },
    fetch(input, init) {
      sent.push(
        init?.method === 'GET' ? `GET ${decodeURIComponent(input as string)}` : (init?.body as string),
      );
      return fetch(input, init);
    },
  });
  const link = new PersistedQueryLink({ sha256, useGETForHashedQueries }).concat(http);
  return { client: new ApolloClient({ link, cache: new InMemoryCache() }), sent };
}

describe('Apollo Client with its link for persisted queries', () => {
  test.each([false, true])('asks by hash for what is listed, GET: %s', async (useGET) => {
    const { client, sent } = apolloClient(await keyOf('browser'), gateway, useGET);
    const { data } = await client.query({ query: ANIMALS, variables: { first: 2 } });
    expect(data).toMatchObject({ petsConnection: { edges: [] } });
    expect(sent).toEqual([expect.stringContaining(sha256(animals))]);
    expect(sent[0]).not.toContain('petsConnection');
  });

  test('a browser key gets nothing else, and the client does not try again', async () => {
    const { client, sent } = apolloClient(await keyOf('browser'), gateway);
    await expect(client.query({ query: UNLISTED })).rejects.toThrow(
      'This key may execute only the operations that the operator of this gateway has listed.',
    );
    expect(sent).toHaveLength(1);
  });

  test('any other key gets it with a second request, which sends the document', async () => {
    const { client, sent } = apolloClient(await keyOf('server'), gateway);
    expect((await client.query({ query: UNLISTED })).data).toEqual({ pets: [] });
    expect(sent).toHaveLength(2);
  });

  test('where nothing is listed it stops sending hashes', async () => {
    const plain = await start({});
    const { client, sent } = apolloClient(await keyOf('server', plain), plain);
    await client.query({ query: UNLISTED });
    await client.query({ query: ANIMALS });
    expect(sent.map((body) => [body.includes('sha256Hash'), body.includes('query ')])).toEqual([
      [true, false],
      [false, true],
      [false, true],
    ]);
  });
});

describe('without that link', () => {
  test.each([`sha256:${sha256(animals)}`, sha256(animals)])(
    'documentId %s, over POST and GET',
    async (documentId) => {
      const key = await keyOf('browser');
      expect(await post(key, { documentId, variables: { first: 1 } })).toMatchObject({
        http: 200,
        cost: 1,
        data: { petsConnection: { edges: [] } },
      });
      const got = await gateway.request(`/graphql?documentId=${documentId}&variables={"first":1}`, {
        key,
        headers: HEADERS,
      });
      expect(await got.json()).toMatchObject({ data: { petsConnection: { edges: [] } } });
    },
  );

  test('the document itself, when it is listed to the byte', async () => {
    const key = await keyOf('browser');
    expect(await post(key, { query: animals })).toMatchObject({
      http: 200,
      data: expect.anything() as unknown,
    });
    expect(await post(key, { query: `${animals} ` })).toMatchObject({
      http: 403,
      error: { extensions: { code: 'forbidden' } },
    });
  });

  test('a list of Relay’s compiler, whose ids are its own', async () => {
    const file = listed('relay.json', { '02f8c5a1b7e94d36': animals });
    const relay = await start({ GRAPHQL_OPERATIONS_FILE: file });
    const key = await keyOf('browser', relay);
    for (const documentId of ['02f8c5a1b7e94d36', `sha256:${sha256(animals)}`])
      expect(await post(key, { documentId }, {}, relay)).toMatchObject({
        http: 200,
        data: expect.anything() as unknown,
      });
  });

  test('a listed mutation is a mutation still: not over GET, not for a browser key', async () => {
    // The other tests count on a gateway without pets.
    const one = await start(env);
    const [server, browser] = [await keyOf('server', one), await keyOf('browser', one)];
    const documentId = sha256(add);
    const answer = await one.request(`/graphql?documentId=${documentId}`, { key: server });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await post(browser, { documentId }, {}, one)).toMatchObject({
      error: { extensions: { code: 'forbidden' } },
    });
    expect(await post(server, { documentId }, {}, one)).toMatchObject({
      data: { createPet: expect.anything() as unknown },
    });
  });
});

describe('what is not listed', () => {
  const ASKED = [
    ['the document', { query: unlisted }],
    ['documentId', { documentId: `sha256:${sha256(unlisted)}` }],
    ['hash', { extensions: { persistedQuery: { version: 1, sha256Hash: sha256(unlisted) } } }],
  ] as const;

  test.each(ASKED)(
    'is 403 for a browser key under either media type, and costs 1: %s',
    async (_how, body) => {
      const key = await keyOf('browser');
      for (const accept of ['application/json', 'application/graphql-response+json'])
        expect(await post(key, body, { accept })).toMatchObject({
          http: 403,
          cost: 1,
          error: { extensions: { code: 'forbidden', status: 403, requestId: expect.any(String) as string } },
        });
    },
  );

  test('in a batch is refused by itself', async () => {
    const answer = await gateway.request('/graphql', {
      method: 'POST',
      key: await keyOf('browser'),
      body: JSON.stringify([{ query: animals }, { query: unlisted }]),
      headers: HEADERS,
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject([
      { data: { petsConnection: {} } },
      { errors: [{ extensions: { code: 'forbidden' } }] },
    ]);
  });

  test.each([
    ['browser', { browser: 403, server: 200, owner: 200, admin: 200 }],
    ['all', { browser: 403, server: 403, owner: 403, admin: 200 }],
    ['none', { browser: 200, server: 200, owner: 200, admin: 200 }],
  ])('GRAPHQL_OPERATIONS_REQUIRED=%s', async (required, expected) => {
    const one = await start({ ...env, GRAPHQL_OPERATIONS_REQUIRED: required });
    const statuses = Object.keys(expected).map(async (role) => {
      const { http } = await post(await keyOf(role as ApiKeyRole, one), { query: unlisted }, {}, one);
      return [role, http];
    });
    expect(Object.fromEntries(await Promise.all(statuses))).toEqual(expected);
  });

  test('under an id gets an error that says to send the document, if the key is allowed to', async () => {
    const key = await keyOf('server');
    const strict = { accept: 'application/graphql-response+json' };
    expect(await post(key, { documentId: 'x-none:1' }, strict)).toMatchObject({
      http: 404,
      error: {
        message: 'No listed document has the id "x-none:1": send the document in "query".',
        extensions: { code: 'not_found' },
      },
    });
    expect(
      await post(
        key,
        { extensions: { persistedQuery: { version: 1, sha256Hash: sha256(unlisted) } } },
        strict,
      ),
    ).toMatchObject({
      http: 404,
      error: { message: 'PersistedQueryNotFound', extensions: { code: 'not_found' } },
    });
  });

  test.each([
    [
      'a hash of something else',
      { query: animals, extensions: { persistedQuery: { version: 1, sha256Hash: sha256('') } } },
      'extensions.persistedQuery.sha256Hash: is not the SHA-256 of the document in "query"',
    ],
    [
      'an id of something else',
      { query: animals, documentId: sha256(add) },
      'documentId: is not the SHA-256 of the document in "query"',
    ],
    [
      'another version',
      { extensions: { persistedQuery: { version: 2, sha256Hash: '' } } },
      'extensions.persistedQuery: must be {"version": 1, "sha256Hash": "…"}',
    ],
    ['an id that is no string', { documentId: 5 }, 'documentId: must be a string; received the number 5'],
  ])('%s is refused', async (_what, body, message) => {
    expect(await post(await keyOf('server'), body)).toMatchObject({
      error: { message, extensions: { code: 'invalid_request' } },
    });
  });
});

describe('a session of the dashboard, under GRAPHQL_OPERATIONS_REQUIRED=all', () => {
  const REFUSAL = 'This session may execute only the operations';
  let strict: TestGateway;
  beforeAll(async () => {
    strict = await start({ ...env, GRAPHQL_OPERATIONS_REQUIRED: 'all' });
  });
  const sessionOf = async (role: ApiKeyRole) => dashboardClient(strict).enter(await keyOf(role, strict));

  test('an owner’s executes every operation of the dashboard and every listed one, and no other', async () => {
    const { graphql } = await sessionOf('owner');
    const own = findPageDocuments();
    expect(own.length).toBeGreaterThan(20);
    const answers = await Promise.all([...own, animals].map((query) => graphql(query)));
    expect(answers.map(messageOf).filter((message) => message.startsWith(REFUSAL))).toEqual([]);
    expect(bodyOf(await graphql(animals)).data).toBeDefined();
    for (const query of [unlisted, `${own[0] ?? ''} `]) {
      const refused = await graphql(query);
      expect([refused.status, messageOf(refused)]).toEqual([403, expect.stringContaining(REFUSAL)]);
    }
  });

  test('an admin’s executes anything', async () => {
    const { graphql } = await sessionOf('admin');
    expect(bodyOf(await graphql(unlisted)).data).toEqual({ pets: [] });
  });

  test('an owner’s key executes the listed operations alone: the dashboard’s are for its sessions', async () => {
    const [own] = findPageDocuments();
    expect(await post(await keyOf('owner', strict), { query: own }, {}, strict)).toMatchObject({ http: 403 });
  });
});

describe('published sites', () => {
  test('the storefront goes on, and other documents need the list', async () => {
    const platform = await startPlatform({ env });
    gateways.push(platform);
    const { project, secret, host } = await createStore(platform);
    await platform.services
      .administration({ role: 'command line' })
      .createDeploy({ projectId: project.id, template: 'storefront' });
    const { text } = await visit(platform, `${project.slug}.${PLATFORM_HOST}`, '/read-animals.js');
    const own = /`(query [^`]+)`/.exec(text)?.[1] ?? '';
    const statuses = [own, animals, unlisted].map(async (query) => {
      const { status } = await visit(platform, host, '/graphql', {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { first: 3 } }),
      });
      return status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
  });
});

describe('a list that cannot be used stops the start', () => {
  test.each([
    [
      'documents',
      manifestOf(['query A { nothing }', 'query B {']),
      ['A (', 'Cannot query field "nothing"', 'B (', 'Syntax Error'],
    ],
    [
      'an id of two documents',
      { ...manifestOf([]), operations: [animals, add].map((body) => ({ id: 'a', body })) },
      ['a: another has the same id'],
    ],
    [
      'another format',
      { format: 'x', version: 1, operations: [] },
      ['is neither a persisted query manifest'],
    ],
  ])('%s', async (_what, list, parts) => {
    const settings = {
      GRAPHQL_OPERATIONS_FILE: listed('bad.json', list),
      PORT: String(await chooseFreePort()),
    };
    const { code, output } = await failGatewayProcess({ ...settings, DATA_DIR: join(folder, 'data') });
    expect(code).toBe(2);
    for (const part of ['Settings that are not valid', 'GRAPHQL_OPERATIONS_FILE', ...parts])
      expect(output).toContain(part);
    expect(() => readFileSync(join(folder, 'data'))).toThrow('ENOENT');
  });

  test('no file', async () => {
    const { code, output } = await failGatewayProcess({ GRAPHQL_OPERATIONS_FILE: join(folder, 'none.json') });
    expect([code, output]).toEqual([2, expect.stringContaining('ENOENT')]);
  });
});
