import type { PetStatus } from '../../../src/features/pets/pet.js';
import { useGateway } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';
import { askGraphQL, codesOf, dataOf } from './client.js';

const gateway = useGateway({ env: { BROWSER_REQUESTS_PER_MINUTE_PER_IP: '1000' } });
const ORIGIN = 'https://shop.example';
let projectId: string;
let keys: Record<'server' | 'owner' | 'browser' | 'foreign' | 'admin', string>;
beforeAll(async () => {
  const { apiKeys } = gateway.services;
  const server = await gateway.keyOn('enterprise', AMPLE);
  projectId = server.apiKey.projectId ?? '';
  const issue = async (input: Parameters<typeof apiKeys.create>[0]) => (await apiKeys.create(input)).secret;
  keys = {
    server: server.secret,
    owner: await issue({ name: 'owner', role: 'owner', projectId }),
    browser: await issue({ name: 'browser', role: 'browser', projectId, allowedOrigins: [ORIGIN] }),
    foreign: (await gateway.keyOn('enterprise', AMPLE, { role: 'owner' })).secret,
    admin: await issue({ name: 'admin', role: 'admin' }),
  };
});

type Who = keyof typeof keys;
const ask = <T = Record<string, unknown>>(who: Who, query: string, variables: Record<string, unknown> = {}) =>
  askGraphQL<T>(gateway, keys[who], query, variables, { origin: ORIGIN });

const PET = 'id name categoryId status';
async function add(who: Who, status: PetStatus = 'available'): Promise<string> {
  const { createPet } = await dataOf(
    ask<{ createPet: { id: string } }>(
      who,
      'mutation ($status: PetStatus) { createPet(input: { name: "Rex", categoryId: 1, status: $status }) { id } }',
      { status },
    ),
  );
  return createPet.id;
}
const update = (who: Who, input: Record<string, unknown>) =>
  ask<{ updatePet: { pet: Record<string, unknown> } }>(
    who,
    `mutation ($input: UpdatePetInput!) { updatePet(input: $input) { pet { ${PET} } } }`,
    { input },
  );
const remove = (who: Who, input: Record<string, unknown>) =>
  ask(who, 'mutation ($input: DeletePetInput!) { deletePet(input: $input) { deletedPetId } }', { input });
const read = async (id: string) =>
  (
    await dataOf(
      ask<{ petsByIds: unknown[] }>('server', `query ($id: Int64!) { petsByIds(ids: [$id]) { ${PET} } }`, {
        id,
      }),
    )
  ).petsByIds[0];

test('updatePet changes the fields that it names, and the others stay', async () => {
  const id = await add('server');
  const reserved = { id, name: 'Rex', categoryId: '1', status: 'pending' };
  expect(await dataOf(update('server', { id, status: 'pending' }))).toEqual({ updatePet: { pet: reserved } });
  expect(await read(id)).toEqual(reserved);
  const renamed = { ...reserved, name: 'Zoë "', categoryId: '-9007199254740993' };
  const changes = { name: renamed.name, categoryId: renamed.categoryId };
  expect(await dataOf(update('owner', { id, ...changes }))).toEqual({ updatePet: { pet: renamed } });
  expect(await read(id)).toEqual(renamed);
});

test('deletePet removes the pet; again, it is pet_not_found', async () => {
  const id = await add('server');
  expect(await dataOf(remove('server', { id }))).toEqual({ deletePet: { deletedPetId: id } });
  expect(await read(id)).toBeNull();
  expect(await codesOf(remove('server', { id }))).toEqual(['pet_not_found']);
  expect(await codesOf(update('server', { id, name: 'Luna' }))).toEqual(['pet_not_found']);
});

test.each<[Who, Who, string]>([
  ['server', 'server', 'ok'],
  ['server', 'owner', 'ok'],
  ['server', 'foreign', 'forbidden'],
  ['server', 'browser', 'forbidden'],
  ['server', 'admin', 'ok'],
  ['foreign', 'server', 'forbidden'],
  ['admin', 'server', 'forbidden'],
  ['admin', 'owner', 'forbidden'],
  ['admin', 'admin', 'ok'],
])('a pet that %s added, changed and removed by %s: %s', async (adder, changer, expected) => {
  const id = await add(adder);
  const codes = expected === 'ok' ? [] : [expected];
  const before = await read(id);
  expect(await codesOf(update(changer, { id, name: 'Luna' }))).toEqual(codes);
  if (expected !== 'ok') expect(await read(id)).toEqual(before);
  expect(await codesOf(remove(changer, { id }))).toEqual(codes);
  expect(await read(id)).toEqual(expected === 'ok' ? null : before);
});

test('a failed precondition changes nothing, and says what the pet is now', async () => {
  const id = await add('server', 'sold');
  const now = { name: 'Rex', categoryId: '1', status: 'sold' };
  for (const [precondition, difference] of [
    [{ ifStatus: 'available' }, 'its status is sold, not available'],
    [{ ifName: 'Luna' }, 'it has another name'],
    [{ ifCategoryId: '2', ifStatus: 'sold' }, 'its categoryId is 1, not 2'],
    [
      { ifName: 'Luna', ifCategoryId: '2', ifStatus: 'pending' },
      'it has another name, its categoryId is 1, not 2, its status is sold, not pending',
    ],
  ] as const) {
    for (const answer of [
      await update('server', { id, name: 'Max', ...precondition }),
      await update('admin', { id, name: 'Max', ...precondition }),
      await remove('server', { id, ...precondition }),
      await remove('admin', { id, ...precondition }),
    ])
      expect(answer.errors?.[0]).toMatchObject({
        message: `The pet with the id ${id} is not as the request requires: ${difference}. Nothing was changed.`,
        extensions: { code: 'precondition_failed', status: 412, details: now },
      });
    expect(await read(id)).toEqual({ id, ...now });
  }
  const met = { ifStatus: 'sold', ifName: 'Rex', ifCategoryId: '1' };
  expect(await codesOf(update('server', { id, name: 'Max', ...met }))).toEqual([]);
  expect(await codesOf(remove('admin', { id, ...met, ifName: 'Max' }))).toEqual([]);
});

test.each([
  [{ name: null }, ['input.name']],
  [{ name: 'Max', ifStatus: null, categoryId: null }, ['input.ifStatus', 'input.categoryId']],
  [{ name: ' ' }, ['input.name']],
  [{}, ['input']],
  [{ ifStatus: 'available' }, ['input']],
])('updatePet with %j is invalid', async (changes, fields) => {
  const id = await add('server');
  const { errors } = await update('server', { id, ...changes });
  expect(errors?.[0]?.extensions.code).toBe('invalid_request');
  const details = errors?.[0]?.extensions.details as { fields: { field: string }[] };
  expect(details.fields.map(({ field }) => field).sort()).toEqual([...fields].sort());
});

test('deletePet with a null precondition is invalid', async () => {
  const id = await add('server');
  expect(await codesOf(remove('server', { id, ifStatus: null }))).toEqual(['invalid_request']);
  expect(await read(id)).not.toBeNull();
});

test('each root field that changes a pet costs 1', async () => {
  const id = await add('server');
  const { extensions } = await ask(
    'server',
    `mutation { updatePet(input: { id: ${id}, name: "Max" }) { pet { id } } deletePet(input: { id: ${id} }) { deletedPetId } }`,
  );
  expect(extensions?.cost.requested).toBe(2);
});

describe('of each pet', () => {
  const SELECTED = '{ name createdAt externalId project { id name } }';
  const selectAs = async (who: Who, id: string) =>
    (await dataOf(ask<{ petsByIds: unknown[] }>(who, `{ petsByIds(ids: [${id}]) ${SELECTED} }`)))
      .petsByIds[0];

  test('everybody sees its project and when it was added', async () => {
    const beforeMs = Date.now();
    const id = await add('owner');
    const pet = (await selectAs('foreign', id)) as { createdAt: string };
    expect(pet).toMatchObject({ name: 'Rex', project: { id: projectId, name: 'enterprise project' } });
    expect(Date.parse(pet.createdAt)).toBeGreaterThanOrEqual(beforeMs);
    expect(Date.parse(pet.createdAt)).toBeLessThanOrEqual(Date.now());
    expect(await selectAs('foreign', await add('admin'))).toMatchObject({ project: null, externalId: null });
  });

  test('its project and admins alone see its own number, also of reads at the same moment', async () => {
    const id = 900_001n;
    await gateway.services.petsStore.insert({
      id,
      name: 'Rex',
      categoryId: 1n,
      status: 'sold',
      projectId,
      externalId: 'A-1',
      createdAt: new Date(),
    });
    const visible = { server: 'A-1', owner: 'A-1', admin: 'A-1', foreign: null, browser: null };
    const asked = (Object.keys(visible) as Who[]).flatMap((who) => Array.from({ length: 5 }, () => who));
    const seen = await Promise.all(asked.map(async (who) => [who, await selectAs(who, String(id))] as const));
    for (const [who, pet] of seen)
      expect([who, pet]).toEqual([who, expect.objectContaining({ externalId: visible[who] })]);
  });
});

describe('the audit log', () => {
  const recordsOf = async (id: string) =>
    (await gateway.services.audit.list({ first: 100, target: {} })).records
      .filter(({ target }) => target.petId === id)
      .map(({ action, actor, target, before, after }) => ({
        action,
        role: actor.role,
        target,
        before,
        after,
      }));

  test('has the changes by admins, with the old and the new values', async () => {
    const id = await add('server');
    await dataOf(update('admin', { id, status: 'sold', ifStatus: 'available' }));
    await dataOf(remove('admin', { id }));
    const target = { projectId, petId: id };
    const rex = { name: 'Rex', categoryId: '1', status: 'available' };
    expect(await recordsOf(id)).toEqual([
      {
        action: 'pet.delete',
        role: 'admin',
        target,
        before: { ...rex, status: 'sold' },
        after: { name: null, categoryId: null, status: null },
      },
      { action: 'pet.update', role: 'admin', target, before: rex, after: { ...rex, status: 'sold' } },
    ]);
  });

  test('has no change by a server key, and none that failed', async () => {
    const id = await add('server');
    await update('server', { id, status: 'sold' });
    await update('admin', { id, status: 'pending', ifStatus: 'available' });
    await remove('server', { id });
    expect(await recordsOf(id)).toEqual([]);
  });
});

describe('Idempotency-Key', () => {
  const CREATE =
    'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id createdAt project { id } } }';
  const once = (who: Who, key: string, query: string) =>
    askGraphQL(gateway, keys[who], query, {}, { 'idempotency-key': key });

  test('createPet twice makes one pet, and over REST it is the same one', async () => {
    const first = await once('server', 'one', CREATE);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const again = await once('server', '"one"', CREATE);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.data).toEqual(first.data);
    const rest = await gateway.request('/v1/pets', {
      method: 'POST',
      key: keys.server,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: '{"name":"Rex","categoryId":1}',
    });
    const { id } = (first.data as { createPet: { id: string } }).createPet;
    expect([rest.headers.get('idempotency-replayed'), await rest.text()]).toEqual([
      'true',
      `{"id":${id},"name":"Rex","categoryId":1,"status":"available"}`,
    ]);
    const other = await once('server', 'one', CREATE.replace('Rex', 'Luna'));
    expect(other.errors?.[0]?.extensions).toMatchObject({ code: 'idempotency_mismatch', status: 422 });
  });

  test.each<Who>(['server', 'admin'])('updatePet and deletePet of a key with the role %s', async (who) => {
    const id = await add('server');
    const reserve = `mutation { updatePet(input: { id: ${id}, status: pending, ifStatus: available }) { pet { ${PET} } } }`;
    const first = await once(who, `reserve ${id}`.replace(' ', '-'), reserve);
    expect(first.errors).toBeUndefined();
    await dataOf(update('owner', { id, status: 'sold' }));
    const again = await once(who, `reserve-${id}`, reserve);
    expect([again.data, again.headers.get('idempotency-replayed')]).toEqual([first.data, 'true']);
    expect(await read(id)).toMatchObject({ status: 'sold' });
    const remove = `mutation { deletePet(input: { id: ${id} }) { deletedPetId } }`;
    expect((await once(who, `remove-${id}`, remove)).data).toEqual({ deletePet: { deletedPetId: id } });
    expect((await once(who, `remove-${id}`, remove)).data).toEqual({ deletePet: { deletedPetId: id } });
  });

  test.each([
    ['a query', '{ pets { id } }'],
    ['two root fields', CREATE.replace(/^mutation \{(.*)\}$/, 'mutation { $1 b: $1 }')],
    ['another mutation', 'mutation { createApiKey(input: { projectId: "x", name: "x" }) { secret } }'],
    [
      'only skipped fields',
      CREATE.replace('createPet(', 'a: createPet(').replace(') {', ') @skip(if: true) {'),
    ],
  ])('with %s is 400, and nothing is done', async (_, document) => {
    const { http, errors } = await once('server', 'never', document);
    expect([http, errors?.[0]?.extensions.code]).toEqual([400, 'invalid_request']);
    expect(errors?.[0]?.extensions.details).toMatchObject({ fields: [{ field: 'Idempotency-Key' }] });
  });

  test('with a batch is 400', async () => {
    const answer = await gateway.request('/graphql', {
      method: 'POST',
      key: keys.server,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'never' },
      body: JSON.stringify([{ query: CREATE }, { query: CREATE }]),
    });
    expect(answer.status).toBe(400);
  });
});

test('of 50 clients that reserve one animal at once, over both interfaces, exactly one wins', async () => {
  const id = await add('server');
  const etag = (await gateway.request(`/v1/pets/${id}`, { key: keys.server })).headers.get('etag') ?? '';
  const overRest = async (who: Who) => {
    const answer = await gateway.request(`/v1/pets/${id}`, {
      method: 'PATCH',
      key: keys[who],
      headers: { 'content-type': 'application/json', 'if-match': etag },
      body: '{"status":"pending"}',
    });
    const { details } = (await answer.json()) as { details?: unknown };
    return [answer.status, details];
  };
  const overGraphQL = async (who: Who) => {
    const { errors } = await update(who, { id, status: 'pending', ifStatus: 'available' });
    return errors === undefined
      ? [200, undefined]
      : [errors[0]?.extensions.status, errors[0]?.extensions.details];
  };
  const who: Who[] = ['server', 'owner', 'server', 'owner', 'admin'];
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      (i % 2 === 0 ? overRest : overGraphQL)(who[i % who.length] ?? 'server'),
    ),
  );
  expect(outcomes.filter(([status]) => status === 200)).toHaveLength(1);
  for (const [i, [status, details]] of outcomes.entries())
    if (status !== 200) {
      expect(status).toBe(412);
      // REST renders an int64 as digits, GraphQL as text.
      expect(details).toEqual({ name: 'Rex', categoryId: i % 2 === 0 ? 1 : '1', status: 'pending' });
    }
});
