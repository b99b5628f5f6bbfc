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

const faultyFields = (body: { details?: { fields?: { field: string }[] } }) =>
  body.details?.fields?.map(({ field }) => field);

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

  it.each(['null', '"lost"', '"Available"', '""', '1', 'true', '["sold"]', '{}'])(
    'answers 400 naming the status for %s',
    async (json) => {
      const body = await expectError(await client.post(pet({ status: json })), 400, 'invalid_request');
      expect(faultyFields(body)).toEqual(['status']);
    },
  );
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

  it.each([
    ['256 code points', JSON.stringify('x'.repeat(256))],
    ['256 code points outside the BMP', JSON.stringify('🐈'.repeat(256))],
    ['empty', '""'],
    ['blank', '" \\t\\n\\u00a0\\u2003"'],
    ['NUL', '"a\\u0000b"'],
    ['a lone high surrogate', '"\\ud800"'],
    ['a lone low surrogate', '"a\\udc00b"'],
    ['surrogates the wrong way round', '"\\udc08\\ud83d"'],
    ['a number', '5'],
    ['null', 'null'],
    ['a boolean', 'true'],
    ['an array', '["Rex"]'],
    ['an object', '{"$ne":null}'],
  ])('answers 400 naming the name: %s', async (_, json) => {
    const body = await expectError(await client.post(pet({ name: json })), 400, 'invalid_request');
    expect(faultyFields(body)).toEqual(['name']);
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

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '1e19',
    '1e999999999',
    '-1e999999999',
    '1.5',
    '1e-1',
    '1.00000000000000000001',
    '"5"',
    'true',
    'null',
    '[5]',
    '{}',
  ])('answers 400 naming the categoryId for %s', async (json) => {
    const body = await expectError(await client.post(pet({ categoryId: json })), 400, 'invalid_request');
    expect(faultyFields(body)).toEqual(['categoryId']);
  });
});

describe('the body of POST /v1/pets', () => {
  it('answers 400 naming every faulty field at once', async () => {
    const body = await expectError(
      await client.post('{"status":"lost","id":5,"colour":"red"}'),
      400,
      'invalid_request',
    );
    expect(faultyFields(body)?.sort()).toEqual(['categoryId', 'colour', 'id', 'name', 'status']);
  });

  it.each(['id', 'colour', '__proto__', 'constructor', '$set', 'Name', ''])(
    'answers 400 naming the unknown field %j',
    async (field) => {
      const body = await expectError(await client.post(pet({ [field]: '1' })), 400, 'invalid_request');
      expect(faultyFields(body)).toEqual([field]);
    },
  );

  it.each([
    ['different values', '{"name":"Rex","name":"Max","categoryId":7}', 'name'],
    ['equal values', '{"name":"Rex","categoryId":7,"categoryId":7}', 'categoryId'],
    ['an escaped spelling', '{"name":"Rex","\\u006eame":"Rex","categoryId":7}', 'name'],
  ])('answers 400 naming a field that was sent twice: %s', async (_, json, field) => {
    const body = await expectError(await client.post(json), 400, 'invalid_request');
    expect(faultyFields(body)).toEqual([field]);
  });

  it.each([
    ['an array', '[{"name":"Rex","categoryId":7}]'],
    ['null', 'null'],
    ['a string', '"Rex"'],
    ['a number', '5'],
    ['nothing', ''],
    ['a space', ' '],
    ['a byte order mark before it', `\ufeff${pet({})}`],
    ['something after it', `${pet({})}x`],
    ['a trailing comma', '{"name":"Rex","categoryId":7,}'],
    ['a comment', '{"name":"Rex",/**/"categoryId":7}'],
    ['half an object', '{"name":"Rex"'],
    ['a NUL byte', '\0'],
    ['20,000 nested brackets', '['.repeat(20_000)],
  ])('answers 400 for %s', async (_, json) => {
    const body = await expectError(await client.post(json), 400, 'invalid_request');
    expect(faultyFields(body)).toEqual(['body']);
  });

  it.each([
    ['a stray continuation byte', [0x80]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a truncated character', [0xf0, 0x9f, 0x90]],
    ['a byte past U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ])('answers 400 for bytes that are not UTF-8, and repairs nothing: %s', async (_, bytes) => {
    const bad = Buffer.concat([
      Buffer.from('{"name":"a'),
      Buffer.from(bytes),
      Buffer.from('b","categoryId":7}'),
    ]);
    const body = await expectError(await client.post(bad), 400, 'invalid_request');
    expect(body.message).toMatch(/UTF-8/);
  });

  it('creates nothing when it answers 400', async () => {
    const before = await gateway.services.pets.list({ limit: 100 });
    await expectError(await client.post('{"name":"Rex","categoryId":7,"colour":1}'), 400);
    const after = await gateway.services.pets.list({ limit: 100 });
    expect(after.pets).toHaveLength(before.pets.length);
  });

  it('answers 400 to a query parameter, which this operation does not have', async () => {
    const answer = await gateway.request('/v1/pets?status=sold', {
      method: 'POST',
      key: client.secret,
      body: pet({}),
      headers: { 'content-type': 'application/json' },
    });
    expect(faultyFields(await expectError(answer, 400, 'invalid_request'))).toEqual(['status']);
  });
});
