import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../../src/lib/int64.js';
import { expectCommonHeaders, expectError, expectRawError } from '../../support/expect-answer.js';
import { useGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { rawHead, sendRaw } from '../../support/raw-http.js';
import { restClient, type RestClient } from '../../support/rest-client.js';

interface PetJson {
  id: number;
  name: string;
  categoryId: number;
  status: string;
}

const STATUSES = ['available', 'pending', 'sold'] as const;
const gateway = useGateway();
let raw: Awaited<ReturnType<typeof rawDatabase>>;
let client: RestClient;
/** 45 pets, a third of each status. */
let ids: number[];

beforeAll(async () => {
  raw = await rawDatabase(gateway);
  client = await restClient(gateway);
  const made = await gateway.services.petsStore.insertMany(
    Array.from({ length: 45 }, (_, i) => ({
      name: `pet ${i}`,
      categoryId: BigInt(i),
      status: STATUSES[i % 3] ?? 'sold',
    })),
  );
  ids = made.map(({ id }) => Number(id));
});
/** What a test has added is gone for the next one. */
afterEach(() => raw.collection('pets').deleteMany({ name: { $not: /^pet / } }));
afterAll(() => raw.close());

async function list(query: string): Promise<{ pets: PetJson[]; next: string | undefined }> {
  const answer = await client.get(`/v1/pets${query}`);
  const text = await answer.text();
  expect({ query, status: answer.status, text }).toMatchObject({ status: 200 });
  const link = answer.headers.get('link');
  return {
    pets: JSON.parse(text) as PetJson[],
    next: link === null ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1],
  };
}

describe('GET /v1/pets', () => {
  it('answers 200 with a plain array of whole pets', async () => {
    const answer = await client.get('/v1/pets?limit=1');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect(answer.headers.get('vary')).toBe('Authorization, Origin, Accept, Accept-Encoding');
    expectCommonHeaders(answer);
    expect(await answer.json()).toEqual([{ id: ids[0], name: 'pet 0', categoryId: 0, status: 'available' }]);
  });

  it('gives 20 pets when limit is omitted, by id ascending', async () => {
    expect((await list('')).pets.map(({ id }) => id)).toEqual(ids.slice(0, 20));
  });

  it.each([1, 2, 20, 44, 45, 46, 100])('gives at most %d pets for that limit', async (limit) => {
    expect((await list(`?limit=${limit}`)).pets).toHaveLength(Math.min(limit, 45));
  });

  it.each(STATUSES)('gives only %s pets for that status', async (status) => {
    const { pets } = await list(`?limit=100&status=${status}`);
    expect(pets).toHaveLength(15);
    expect(new Set(pets.map((pet) => pet.status))).toEqual(new Set([status]));
  });

  it('gives an empty array, and no next page, after the last pet', async () => {
    const { next } = await list('?limit=44');
    const last = await list(`?${next?.split('?')[1] ?? ''}`);
    expect(last).toEqual({ pets: [expect.objectContaining({ id: ids[44] })], next: undefined });
  });

  it('accepts an empty query string', async () => {
    expect((await list('?')).pets).toHaveLength(20);
  });

  it('gives int64 values exactly', async () => {
    for (const value of [9007199254740993n, INT64_MAX, INT64_MIN])
      await client.created(`{"name":"far","categoryId":${value},"status":"pending"}`);
    const answer = await client.get('/v1/pets?limit=100&status=pending');
    const text = await answer.text();
    for (const value of [9007199254740993n, INT64_MAX, INT64_MIN])
      expect(text).toContain(`"categoryId":${value},`);
  });
});

describe('paging by Link', () => {
  it.each([
    ['no filter', undefined],
    ['a status', 'sold' as const],
  ])('gives every pet once, in order, whatever the page size: %s', async (_, status) => {
    const expected = (
      await gateway.services.pets.list({ limit: 1000, ...(status !== undefined && { status }) })
    ).pets.map(({ id }) => Number(id));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 3, max: 30 }), async (limit) => {
        const seen: number[] = [];
        const filter = status === undefined ? '' : `&status=${status}`;
        let next: string | undefined = `/v1/pets?limit=${limit}${filter}`;
        while (next !== undefined) {
          const page = await list(next.slice('/v1/pets'.length));
          seen.push(...page.pets.map(({ id }) => id));
          next = page.next;
        }
        expect(seen).toEqual(expected);
      }),
      { numRuns: 4 },
    );
  });

  it('skips and repeats nothing when pets are added between pages', async () => {
    const first = await list('?limit=5');
    await client.created('{"name":"late","categoryId":1}');
    const second = await list(`?${first.next?.split('?')[1] ?? ''}`);
    expect([...first.pets, ...second.pets].map(({ id }) => id)).toEqual(ids.slice(0, 10));
  });

  it('names no next page when the page ends with the last pet', async () => {
    const { pets } = await gateway.services.pets.list({ limit: 1000, status: 'sold' });
    expect((await list(`?limit=${pets.length}&status=sold`)).next).toBeUndefined();
    expect((await list(`?limit=${pets.length - 1}&status=sold`)).next).toBeDefined();
  });
});

/** Asks twice: with fetch, which encodes some characters, and with the exact query. */
async function expectFault(query: string, fields: readonly string[]): Promise<void> {
  const byFetch = await expectError(await client.get(`/v1/pets?${query}`), 400, 'invalid_request');
  const key = `Authorization: Bearer ${client.secret}`;
  const request = rawHead(`GET /v1/pets?${query} HTTP/1.1`, 'Host: x', 'Connection: close', key);
  const exact = expectRawError(await sendRaw(gateway.url, request), 400, 'invalid_request');
  for (const { details } of [byFetch, exact])
    expect(details?.fields?.map(({ field }) => field)).toEqual(fields);
}

describe('a query that listPets does not have', () => {
  const VALUES: Record<string, readonly string[]> = {
    limit: [
      ...['', '0', '-1', '101', '05', '+5', '%2B5', '1e1', '1.5', '1.0', '%205', '5%20', '0x5', 'all'],
      ...['%EF%BC%91', '%D9%A5', '1%0a', '%31%00', '1;status=sold', '9'.repeat(20), '9'.repeat(15_000)],
    ],
    status: ['', 'lost', 'Sold', 'sold,pending', 'sold%00', '%FF', '{"$gt":""}', 'constructor'],
    after: ['', 'x', '5', 'cGV0OjA1', 'cGV0OjU=', 'cGV0Ojk5OTk5OTk5OTk5OTk5OTk5OTk5', '{"$gt":""}'],
    mine: ['', '1', 'yes', 'TRUE'],
    categoryId: ['', '05', '1e1', '1.5', '9223372036854775808', '{"$gt":0}', '9'.repeat(15_000)],
  };
  const rows = Object.entries(VALUES).flatMap(([field, values]) =>
    values.map((value) => [field, value.length > 40 ? `${value.length} characters` : value, value] as const),
  );
  it.each(rows)('answers 400 naming %s for %j', (field, _, value) =>
    expectFault(`${field}=${value}`, [field]),
  );

  it.each([
    ['limit', 'limit=5&limit=5'],
    ['status', 'status=sold&status=pending'],
    ['status', 'status=sold&%73tatus=available'],
    ['mine', 'mine=true&mine=true'],
    ['status[$ne]', 'status[$ne]=x'],
    ['status[$ne]', 'status%5B%24ne%5D=sold'],
    ['status[]', 'status[]=sold'],
    ['mine[$ne]', 'mine[$ne]=true'],
    ['$where', '$where=1'],
    ['__proto__', '__proto__=1'],
    ['__proto__[limit]', '__proto__[limit]=1'],
    ['constructor', 'constructor=1'],
    ['hasOwnProperty', 'hasOwnProperty=1'],
    ['toString', 'toString=1'],
    ['offset', 'offset=5'],
    ['nameContains', 'nameContains=x'],
    ['projectId', 'projectId=proj_1'],
    ['Limit', 'Limit=5'],
    ['_method', '_method=DELETE'],
    ['api_key', 'api_key=secret'],
    ['access_token', 'access_token=x'],
    ['', '=1'],
  ])('answers 400 naming %j for ?%s', (field, query) => expectFault(query, [field]));

  it('answers 400 once for thousands of them', async () => {
    const query = Array.from({ length: 1500 }, (_, i) => `a${i}`).join('&');
    await expectError(await client.get(`/v1/pets?${query}`), 400, 'invalid_request');
  });

  it('answers 400 naming every faulty parameter at once', async () => {
    const body = await expectError(await client.get('/v1/pets?limit=0&status=lost&after=x&page=2'), 400);
    expect(body.details?.fields?.map(({ field }) => field).sort()).toEqual([
      'after',
      'limit',
      'page',
      'status',
    ]);
  });
});

describe('beta: mine and categoryId', () => {
  /** Two projects with ten animals each, of two categories. */
  async function twoShelters() {
    const clients = [await restClient(gateway), await restClient(gateway)] as const;
    for (const client of clients)
      for (let i = 0; i < 10; i++)
        await client.created(JSON.stringify({ name: `own ${i}`, categoryId: 900 + (i % 2) }));
    return clients;
  }
  async function pageOf(client: RestClient, query: string) {
    const answer = await client.get(`/v1/pets${query}`);
    expect(answer.status).toBe(200);
    const { headers } = answer;
    return {
      pets: (await answer.json()) as PetJson[],
      link: headers.get('link'),
      next: headers.get('x-next-cursor'),
    };
  }

  it('mine gives the animals of the key\u2019s project only, to the end by Link and by X-Next-Cursor', async () => {
    const [client, other] = await twoShelters();
    const whole = (await pageOf(client, '?mine=true&limit=100')).pets;
    expect(whole.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, i) => `own ${i}`));
    expect((await pageOf(other, '?mine=true&limit=100')).pets).toHaveLength(10);
    const seen: PetJson[] = [];
    for (let query = '?mine=true&limit=3'; ;) {
      const { pets, link, next } = await pageOf(client, query);
      seen.push(...pets);
      if (next === null) {
        expect(link).toBeNull();
        break;
      }
      expect(link).toBe(`</v1/pets?limit=3&mine=true&after=${next}>; rel="next"`);
      query = `?mine=true&limit=3&after=${next}`;
    }
    expect(seen).toEqual(whole);
  });

  it('categoryId, mine and status work together', async () => {
    const [client] = await twoShelters();
    const { pets, link } = await pageOf(client, '?mine=true&categoryId=901&status=available&limit=3');
    expect(pets.map(({ name }) => name)).toEqual(['own 1', 'own 3', 'own 5']);
    expect(link).toContain('limit=3&status=available&categoryId=901&mine=true&after=');
    expect((await pageOf(client, '?mine=true&categoryId=901&status=sold')).pets).toEqual([]);
    expect((await pageOf(client, '?categoryId=901&limit=100')).pets).toHaveLength(10);
  });

  it('X-Next-Cursor can be read by pages of other origins', async () => {
    const { headers } = await client.get('/v1/pets?limit=1');
    expect(headers.get('access-control-expose-headers')).toContain('X-Next-Cursor');
    expect(headers.get('x-next-cursor')).not.toBeNull();
  });
});
