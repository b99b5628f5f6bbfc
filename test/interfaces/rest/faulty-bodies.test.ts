import { expectError } from '../../support/expect-answer.js';
import { useGateway } from '../../support/gateway.js';
import { restClient, type RestClient } from '../../support/rest-client.js';

/** Bodies that create no pet and change none. Bodies that expand or nest: test/hostile/bodies. */
const gateway = useGateway();
let client: RestClient;
/** A pet that no body changes. */
let pet: string;
let before: string;
beforeAll(async () => {
  client = await restClient(gateway);
  pet = `/v1/pets/${/"id":(\d+)/.exec(await client.created('{"name":"Rex","categoryId":7}'))?.[1] ?? ''}`;
  before = await stored();
});
afterEach(async () => expect(await stored()).toBe(before));

/** The pet as it is, and how many there are. */
const stored = async () => {
  const { pets } = await gateway.services.pets.list({ limit: 100 });
  return `${await (await client.get(pet)).text()} of ${pets.length}`;
};
const patch = (body: string | Buffer) =>
  gateway.request(pet, {
    method: 'PATCH',
    key: client.secret,
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: { 'content-type': 'application/json' },
  });

async function expectFault(answer: Response, fields: readonly string[]): Promise<string> {
  const { details, message } = await expectError(answer, 400, 'invalid_request');
  expect(details?.fields?.map(({ field }) => field)).toEqual(fields);
  return message;
}
/** The same body creates a pet, and changes one. */
async function expectFaults(body: string | Buffer, fields: readonly string[]): Promise<string> {
  await expectFault(await patch(body), fields);
  return expectFault(await client.post(body), fields);
}

/** A whole pet with these members, as JSON. */
const petWith = (members: Record<string, string>) =>
  `{${Object.entries({ name: '"Rex"', categoryId: '7', ...members })
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}`;

describe('400 naming the name', () => {
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
    ['an operator', '{"$ne":null}'],
  ])('%s', (_, json) => expectFaults(petWith({ name: json }), ['name']));
});

describe('400 naming the status', () => {
  it.each([
    ...['null', '"lost"', '"Available"', '""', '1', 'true', '["sold"]', '{}'],
    ...['{"$ne":"sold"}', '"constructor"'],
  ])('%s', (json) => expectFaults(petWith({ status: json }), ['status']));
});

describe('400 naming the categoryId', () => {
  const many = 60_000;
  const NUMBERS = [
    ...['9223372036854775808', '-9223372036854775809', '1e19', '1e400', '1e999999999', '-1e999999999'],
    ...['1.5', '1e-1', '1.00000000000000000001', '"5"', 'true', 'null', '[5]', '{}'],
    ...['{"$gt":0}', '{"$numberLong":"7"}'],
    `1e${'9'.repeat(many)}`,
    `1e-${'9'.repeat(many)}`,
    '9'.repeat(many),
    `1${'0'.repeat(many)}`,
    `1${'0'.repeat(many)}1`,
    `1.${'0'.repeat(many)}1`,
  ];
  const named = NUMBERS.map((json) => [
    json.length < many ? json : `${json.slice(0, 5)}…${json.slice(-5)}`,
    json,
  ]);
  it.each(named)('%s', (_, json) => expectFaults(petWith({ categoryId: json }), ['categoryId']));
});

describe('400 naming a member that a pet does not have, or that was sent twice', () => {
  it.each([
    ...['id', '_id', 'colour', 'Name', '', '$set', '$where'],
    ...['__proto__', 'constructor', 'toString'],
  ])('%j', (field) => expectFaults(petWith({ [field]: '1' }), [field]));

  it.each([
    ['different values', '{"name":"Rex","name":"Max","categoryId":7}', 'name'],
    ['equal values', '{"name":"Rex","categoryId":7,"categoryId":7}', 'categoryId'],
    ['an escaped spelling', '{"name":"Rex","\\u006eame":"Rex","categoryId":7}', 'name'],
    ['of no pet', '{"name":"Rex","categoryId":7,"__proto__":1,"__proto__":2}', '__proto__'],
  ])('twice: %s', (_, body, field) => expectFaults(body, [field]));

  it.each(['{"__proto__":{"status":"sold"}}', '{"constructor":{"prototype":{"status":"sold"}}}'])(
    '%s, of which nothing comes into being',
    async (body) => {
      const field = Object.keys(JSON.parse(body.replace('__proto__', 'proto')) as object)[0] ?? '';
      await expectFault(await patch(body), [field === 'proto' ? '__proto__' : field]);
      await expectError(await client.post(body), 400, 'invalid_request');
      expect(({} as Record<string, unknown>)['status']).toBeUndefined();
    },
  );

  it('each of them at once', async () => {
    const answer = await client.post('{"status":"lost","id":5,"colour":"red"}');
    const { details } = await expectError(answer, 400, 'invalid_request');
    const fields = details?.fields?.map(({ field }) => field).sort();
    expect(fields).toEqual(['categoryId', 'colour', 'id', 'name', 'status']);
  });
});

describe('400 naming the body', () => {
  it.each([
    ['an array', '[{"name":"Rex","categoryId":7}]'],
    ['null', 'null'],
    ['a string', '"Rex"'],
    ['a number', '5'],
    ['nothing', ''],
    ['a space', ' '],
    ['a byte order mark before it', `\ufeff${petWith({})}`],
    ['something after it', `${petWith({})}x`],
    ['a trailing comma', '{"name":"Rex","categoryId":7,}'],
    ['a comment', '{"name":"Rex",/**/"categoryId":7}'],
    ['half an object', '{"name":"Rex"'],
    ['a NUL byte', '\0'],
    ['a NUL byte in a text', '{"name":"a\0","categoryId":7}'],
    ['many leading zeros', petWith({ categoryId: `${'0'.repeat(60_000)}1` })],
    ['20,000 nested brackets', '['.repeat(20_000)],
    ['UTF-16, little end first', Buffer.from(petWith({}), 'utf16le')],
  ])('%s', (_, body) => expectFaults(body, ['body']));

  it.each([
    ['a stray continuation byte', [0x80]],
    ['latin1', [0xeb]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a truncated character', [0xf0, 0x9f, 0x90]],
    ['a byte past U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ])('bytes that are not UTF-8, of which nothing is repaired: %s', async (_, bytes) => {
    const [start = '', end = ''] = petWith({ name: '"a|b"' }).split('|');
    const bad = Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)]);
    expect(await expectFaults(bad, ['body'])).toMatch(/UTF-8/);
  });

  it.each([
    ['half a character at its end', Buffer.from([...Buffer.from('{"name":"'), 0xe2, 0x82])],
    ['UTF-16 with its mark', Buffer.from(`\ufeff${petWith({})}`, 'utf16le')],
  ])('bytes that are not UTF-8: %s', async (_, body) => {
    expect(await expectFaults(body, ['body'])).toMatch(/UTF-8/);
  });
});

// A change names only what it changes, and null would remove it (RFC 7396).
test.each([
  ['{}', 'body'],
  ['{"status":null}', 'status'],
  ['{"name":null}', 'name'],
  ['{"categoryId":null}', 'categoryId'],
  ['{"id":7}', 'id'],
])('a change to %s is 400 naming %s', async (body, field) => expectFault(await patch(body), [field]));
