import os from 'node:os';
import { mongo } from 'mongoose';
import { expectCommonHeaders, expectError } from '../../support/expect-answer.js';
import { useGateway } from '../../support/gateway.js';
import { restClient, type RestClient } from '../../support/rest-client.js';

const gateway = useGateway();
let client: RestClient;
/** MongoDB itself, not through the gateway's connection. The driver would load `os` by a dynamic import. */
const database = new mongo.MongoClient(process.env['TEST_MONGODB_URI'] ?? '', { runtimeAdapters: { os } });
beforeAll(async () => {
  client = await restClient(gateway);
});
afterAll(() => database.close());

const pet = (members: Record<string, string>) =>
  `{${Object.entries({ name: '"Rex"', categoryId: '7', ...members })
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}`;

describe('POST /v1/pets', () => {
  it('answers 201 with the pet and the id it was given', async () => {
    const answer = await client.post('{"name":"Rex","categoryId":7,"status":"pending"}');
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expectCommonHeaders(answer);
    expect(await answer.json()).toEqual({
      id: expect.any(Number) as number,
      name: 'Rex',
      categoryId: 7,
      status: 'pending',
    });
  });

  it('gives each pet an id of its own, also when many are created at once', async () => {
    const texts = await Promise.all(Array.from({ length: 30 }, () => client.created(pet({}))));
    expect(new Set(texts.map((text) => (JSON.parse(text) as { id: number }).id)).size).toBe(30);
  });

  it.each(['available', 'pending', 'sold'])('answers 201 for the status %s', async (status) => {
    expect(JSON.parse(await client.created(pet({ status: `"${status}"` })))).toMatchObject({ status });
  });

  it('creates an available pet when the status is omitted', async () => {
    expect(JSON.parse(await client.created(pet({})))).toMatchObject({ status: 'available' });
  });
});

describe('the name of a new pet', () => {
  it.each([
    ['255 code points', 'x'.repeat(255)],
    ['255 code points outside the BMP', '🐈'.repeat(255)],
    ['leading and trailing spaces', '  Rex  '],
    ['a combining accent, not normalised', 'e\u0301'],
    ['control characters other than NUL', 'a\u0001\tb\n'],
    ['what looks like markup or an operator', '<b>$where</b>'],
    ['a no-break space between letters', 'a\u00a0b'],
    ['a byte order mark within', 'a\ufeffb'],
  ])('is kept exactly as sent: %s', async (_, name) => {
    const created = JSON.parse(await client.created(pet({ name: JSON.stringify(name) }))) as { id: number };
    const read = await client.get(`/v1/pets/${created.id}`);
    expect(await read.json()).toEqual({ id: created.id, name, categoryId: 7, status: 'available' });
  });

  it('may be written with escapes', async () => {
    expect(JSON.parse(await client.created(pet({ name: '"\\ud83d\\udc08\\u0041"' })))).toMatchObject({
      name: '🐈A',
    });
  });
});

describe('the categoryId of a new pet', () => {
  it.each([
    ['5', '5'],
    ['0', '0'],
    ['-0', '0'],
    ['-5', '-5'],
    ['1.0', '1'],
    ['1e3', '1000'],
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9.223372036854775807e18', '9223372036854775807'],
  ])('answers 201 for %s and keeps it exactly, in every answer and in MongoDB', async (sent, kept) => {
    const text = await client.created(pet({ categoryId: sent }));
    expect(text).toContain(`"categoryId":${kept},`);
    const { id } = JSON.parse(text) as { id: number };
    expect(await (await client.get(`/v1/pets/${id}`)).text()).toBe(text);

    const pets = database.db(gateway.databaseName).collection<{ _id: mongo.Long }>('pets');
    const stored = await pets.findOne({ _id: mongo.Long.fromNumber(id) }, { promoteLongs: false });
    expect(stored).toMatchObject({
      _id: mongo.Long.fromNumber(id),
      categoryId: mongo.Long.fromString(kept),
    });
  });

  it('may have a fraction of zeros, or one that the exponent removes', async () => {
    for (const sent of [`7.${'0'.repeat(60_000)}`, `7${'0'.repeat(60_000)}e-60000`])
      expect(await client.created(pet({ categoryId: sent }))).toContain('"categoryId":7,');
  });
});

// Other bodies that are 400: faulty-bodies.
it('answers 400 to a query parameter, which this operation does not have', async () => {
  const answer = await gateway.request('/v1/pets?status=sold', {
    method: 'POST',
    key: client.secret,
    body: pet({}),
    headers: { 'content-type': 'application/json' },
  });
  const { details } = await expectError(answer, 400, 'invalid_request');
  expect(details?.fields).toMatchObject([{ field: 'status' }]);
});
