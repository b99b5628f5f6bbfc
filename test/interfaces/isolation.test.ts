import { REST_OPERATIONS } from '../../src/http/versioning/rest-operations.js';
import { useStarted } from '../support/gateway.js';
import { AMPLE } from '../support/rest-client.js';
import { askGraphQL, type GraphQLBody } from './graphql/client.js';
import { startPlatform, visit, PLATFORM_HOST } from './sites/visitor.js';

/**
 * Who may do what with an animal of one project: each operation with each role, of its project, of another one, and
 * without a key. Whatever is not allowed leaves the animal as it was.
 */
const CALLERS = [
  ...['nobody', 'browser', 'server', 'owner'],
  ...['foreign browser', 'foreign server', 'foreign owner', 'admin'],
] as const;
type Caller = (typeof CALLERS)[number];

const gateway = useStarted(() => startPlatform({ env: { BROWSER_REQUESTS_PER_MINUTE_PER_IP: '1000' } }));
const secrets = new Map<Caller, string>();
const origins = new Map<Caller, string>();
let own: { id: string; slug: string };
let foreign: { id: string; slug: string };

beforeAll(async () => {
  const { projects, apiKeys } = gateway.services;
  const create = (name: string) => projects.create({ name, plan: 'enterprise', customQuota: AMPLE });
  [own, foreign] = [await create('Own'), await create('Foreign')];
  for (const [prefix, { id, slug }] of [
    ['', own],
    ['foreign ', foreign],
  ] as const)
    for (const role of ['browser', 'server', 'owner'] as const) {
      const caller = `${prefix}${role}` as Caller;
      const origin = `http://${slug}.${PLATFORM_HOST}`;
      const origins_ = role === 'browser' ? { allowedOrigins: [origin] } : {};
      const { secret } = await apiKeys.create({ name: caller, role, projectId: id, ...origins_ });
      secrets.set(caller, secret);
      origins.set(caller, origin);
    }
  secrets.set('admin', (await apiKeys.create({ name: 'admin', role: 'admin' })).secret);
});

/** `ok`, the code of the error, or `null` if the response is that there is no such thing. */
type Answer = Promise<string>;

async function rest(
  caller: Caller,
  method: string,
  path: string,
  body?: string,
  type = 'application/json',
): Answer {
  const secret = secrets.get(caller);
  const response = await gateway.request(path, {
    method,
    ...(secret !== undefined && { key: secret }),
    ...(body !== undefined && { body, headers: { 'content-type': type } }),
  });
  const text = await response.text();
  return response.ok ? 'ok' : (JSON.parse(text) as { code: string }).code;
}

async function graphQL(caller: Caller, query: string): Answer {
  const secret = secrets.get(caller);
  const headers = { origin: origins.get(caller) ?? '' };
  const body =
    secret === undefined
      ? ((await (
          await gateway.request('/graphql', {
            method: 'POST',
            body: JSON.stringify({ query }),
            headers: { 'content-type': 'application/json' },
          })
        ).json()) as GraphQLBody)
      : await askGraphQL(gateway, secret, query, {}, headers);
  return answerOf(body);
}

/** Of the site of the animal's project. */
async function site(caller: Caller, query: string): Answer {
  const secret = secrets.get(caller);
  const { text } = await visit(gateway, `${own.slug}.${PLATFORM_HOST}`, '/graphql', {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': '192.0.2.1',
      ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
    },
  });
  return answerOf(JSON.parse(text) as GraphQLBody);
}

/** An error of a whole request is as over REST. */
function answerOf({ data, errors, code }: GraphQLBody & { code?: string }): string {
  const error = errors?.[0]?.extensions.code ?? code;
  if (error !== undefined) return error;
  return Object.values(data ?? {}).every((value) => value === null) ? 'null' : 'ok';
}

/** An import of the animals of the project `Own`, created by an owner. */
async function newImport(): Promise<string> {
  const { data } = await askGraphQL<{ createPetsImport: { petsImport: { id: string } } }>(
    gateway,
    secrets.get('owner') ?? '',
    `mutation { createPetsImport(input: { projectId: "${own.id}" }) { petsImport { id } } }`,
  );
  return data?.createPetsImport.petsImport.id ?? '';
}

/** What each of CALLERS gets, in their order. */
type Answers = readonly string[];
const FORBIDDEN = 'forbidden';
const NO_KEY = 'missing_api_key';
/** Over REST, where browser keys may nothing. */
const READERS: Answers = [NO_KEY, FORBIDDEN, 'ok', 'ok', FORBIDDEN, 'ok', 'ok', 'ok'];
const EVERYBODY: Answers = [NO_KEY, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok'];
const ITS_PROJECT: Answers = [NO_KEY, FORBIDDEN, 'ok', 'ok', FORBIDDEN, FORBIDDEN, FORBIDDEN, 'ok'];
const ITS_OWNERS: Answers = [NO_KEY, FORBIDDEN, FORBIDDEN, 'ok', FORBIDDEN, FORBIDDEN, FORBIDDEN, 'ok'];
const ADMINS: Answers = [NO_KEY, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN, 'ok'];
const SITE: Answers = [NO_KEY, 'ok', FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN];

interface Case {
  /** The operation that it covers, and what is special. */
  name: string;
  ask: (caller: Caller, petId: bigint) => Answer;
  answers: Answers;
}

const REX = '{"name":"Rex","categoryId":1}';
const CASES: Case[] = [
  { name: 'listPets', ask: (caller) => rest(caller, 'GET', '/v1/pets'), answers: READERS },
  { name: 'createPet', ask: (caller) => rest(caller, 'POST', '/v1/pets', REX), answers: READERS },
  { name: 'getPet', ask: (caller, id) => rest(caller, 'GET', `/v1/pets/${id}`), answers: READERS },
  {
    name: 'updatePet',
    ask: (caller, id) => rest(caller, 'PATCH', `/v1/pets/${id}`, '{"status":"sold"}'),
    answers: ITS_PROJECT,
  },
  { name: 'deletePet', ask: (caller, id) => rest(caller, 'DELETE', `/v1/pets/${id}`), answers: ITS_PROJECT },
  {
    name: 'uploadDeploy',
    async ask(caller) {
      const { id } = await gateway.services
        .administration({ role: 'command line' })
        .createDeploy({ projectId: own.id });
      return rest(caller, 'PUT', `/deploys/${id}/archive`, 'no archive', 'application/gzip');
    },
    // What is allowed is read, and is no archive.
    answers: [
      ...[NO_KEY, FORBIDDEN, FORBIDDEN, 'invalid_request'],
      ...[FORBIDDEN, FORBIDDEN, 'not_found', 'invalid_request'],
    ],
  },
  {
    name: 'uploadPetsImport',
    ask: async (caller) =>
      rest(
        caller,
        'PUT',
        `/imports/${await newImport()}/file`,
        'externalId,name,categoryId\n1,Rex,1\n',
        'text/csv',
      ),
    answers: [NO_KEY, FORBIDDEN, FORBIDDEN, 'ok', FORBIDDEN, FORBIDDEN, 'not_found', 'ok'],
  },
  ...[
    ['Query.pets', '{ pets { id } }'],
    ['Query.petsConnection', '{ petsConnection { edges { node { id project { name } } } } }'],
    [
      'Query.petsConnection with a search in the whole catalogue',
      '{ petsConnection(filter: { nameContains: "luna", categoryId: 1 }, orderBy: newest) { totalCount edges { node { id } } } }',
    ],
    ['Query.petsConnection of one’s own', '{ petsConnection(filter: { mine: true }) { totalCount } }'],
  ].map(([name = '', query = '']) => ({
    name,
    ask: (caller: Caller) => graphQL(caller, query),
    answers: EVERYBODY,
  })),
  {
    name: 'Query.petsConnection of the project',
    ask: (caller) =>
      graphQL(caller, `{ petsConnection(filter: { projectId: "${own.id}" }) { edges { node { id } } } }`),
    answers: EVERYBODY,
  },
  {
    name: 'Query.petsConnection by a number of the project',
    ask: (caller) =>
      graphQL(
        caller,
        `{ petsConnection(filter: { projectId: "${own.id}", externalId: "1" }) { totalCount edges { node { id } } } }`,
      ),
    answers: EVERYBODY,
  },
  {
    name: 'Query.petsConnection by a number without a project',
    ask: (caller) => graphQL(caller, '{ petsConnection(filter: { externalId: "1" }) { totalCount } }'),
    // An admin names the project.
    answers: [...EVERYBODY.slice(0, -1), 'invalid_request'],
  },
  {
    name: 'Query.petsByIds',
    ask: (caller, id) => graphQL(caller, `{ petsByIds(ids: [${id}]) { id project { id name } } }`),
    answers: EVERYBODY,
  },
  {
    name: 'Query.pet',
    ask: (caller, id) => graphQL(caller, `{ pet(id: ${id}) { id } }`),
    answers: EVERYBODY,
  },
  {
    name: 'Mutation.createPet',
    ask: (caller) => graphQL(caller, 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }'),
    answers: READERS,
  },
  {
    name: 'Mutation.updatePet',
    ask: (caller, id) =>
      graphQL(caller, `mutation { updatePet(input: { id: ${id}, status: sold }) { pet { id } } }`),
    answers: ITS_PROJECT,
  },
  {
    name: 'Mutation.updatePet with a precondition that fails',
    ask: (caller, id) =>
      graphQL(
        caller,
        `mutation { updatePet(input: { id: ${id}, status: sold, ifStatus: pending }) { pet { id } } }`,
      ),
    // Whose animal it is comes first.
    answers: ITS_PROJECT.map((answer) => (answer === 'ok' ? 'precondition_failed' : answer)),
  },
  {
    name: 'Mutation.deletePet',
    ask: (caller, id) => graphQL(caller, `mutation { deletePet(input: { id: ${id} }) { deletedPetId } }`),
    answers: ITS_PROJECT,
  },
  {
    name: 'Mutation.deleteProjectPets',
    ask: (caller) =>
      graphQL(caller, `mutation { deleteProjectPets(input: { projectId: "${own.id}" }) { deletedCount } }`),
    answers: ADMINS,
  },
  {
    name: 'Mutation.createPetsImport',
    ask: (caller) =>
      graphQL(
        caller,
        `mutation { createPetsImport(input: { projectId: "${own.id}", deleteMissing: true }) { petsImport { id } } }`,
      ),
    answers: ITS_OWNERS,
  },
  {
    name: 'Query.petsImport',
    ask: async (caller) =>
      graphQL(caller, `{ petsImport(id: "${await newImport()}") { state rejectedLines { line } } }`),
    // Of another project it is as one that is not there.
    answers: ITS_OWNERS.with(6, 'null'),
  },
  {
    name: 'Mutation.startPetsImport',
    ask: async (caller) =>
      graphQL(
        caller,
        `mutation { startPetsImport(input: { id: "${await newImport()}" }) { petsImport { state } } }`,
      ),
    // What is allowed cannot start without its file.
    answers: [
      ...[NO_KEY, FORBIDDEN, FORBIDDEN, 'conflict'],
      ...[FORBIDDEN, FORBIDDEN, 'not_found', 'conflict'],
    ],
  },
  {
    name: 'site: Query.petsByIds',
    ask: (caller, id) => site(caller, `{ petsByIds(ids: [${id}]) { id } }`),
    answers: SITE,
  },
  {
    name: 'site: Query.pet of an animal of another project',
    async ask(caller) {
      const pet = { name: 'Theirs', categoryId: 1n, status: 'available' } as const;
      const { id } = await gateway.services.pets.create(pet, foreign.id);
      return site(caller, `{ pet(id: ${id}) { id } }`);
    },
    answers: SITE.map((answer) => (answer === 'ok' ? 'pet_not_found' : answer)),
  },
  {
    name: 'site: Mutation.updatePet',
    ask: (caller, id) =>
      site(caller, `mutation { updatePet(input: { id: ${id}, status: sold }) { pet { id } } }`),
    // It has no mutations.
    answers: SITE.map((answer) => (answer === 'ok' ? 'invalid_request' : answer)),
  },
];

const CHANGES = /update|deletePet|deleteProjectPets/;

test.each(CASES)('$name', async ({ name, ask, answers }) => {
  const { pets } = gateway.services;
  const found: string[] = [];
  for (const caller of CALLERS) {
    const { id } = await pets.create({ name: 'Luna', categoryId: 1n, status: 'available' }, own.id);
    const answer = await ask(caller, id);
    found.push(answer);
    const [now] = await pets.getMany([id]);
    if (answer === 'ok' && CHANGES.test(name)) expect(now?.status).not.toBe('available');
    else expect(now).toMatchObject({ name: 'Luna', categoryId: 1n, status: 'available', projectId: own.id });
  }
  expect(found).toEqual(answers);
});

test('each pet that is added belongs to the project of the key that added it', async () => {
  for (const [caller, projectId] of [
    ['server', own.id],
    ['owner', own.id],
    ['foreign server', foreign.id],
    ['admin', undefined],
  ] as const) {
    const key = secrets.get(caller) ?? '';
    const init = { method: 'POST', key, body: REX, headers: { 'content-type': 'application/json' } };
    const { id } = (await (await gateway.request('/v1/pets', init)).json()) as { id: number };
    expect([caller, (await gateway.services.pets.get(BigInt(id))).projectId]).toEqual([caller, projectId]);
  }
});

test('the table has every operation of REST, and every operation of GraphQL that is about pets', async () => {
  const { data } = await askGraphQL<{
    __schema: Record<'queryType' | 'mutationType', { name: string; fields: { name: string }[] }>;
  }>(
    gateway,
    secrets.get('admin') ?? '',
    '{ __schema { queryType { name fields(includeDeprecated: true) { name } } mutationType { name fields { name } } } }',
  );
  const fields = Object.values(data?.__schema ?? {}).flatMap(({ name, fields: of }) =>
    of.map((field) => `${name}.${field.name}`),
  );
  const expected = [...Object.keys(REST_OPERATIONS), ...fields.filter((name) => /pet/i.test(name))];
  expect(expected.filter((name) => !CASES.some((one) => one.name.split(' ')[0] === name))).toEqual([]);
});
