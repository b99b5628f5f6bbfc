import { expectCommonHeaders, expectError, expectRawError } from '../../support/expect-answer.js';
import { startGateway, useGateway } from '../../support/gateway.js';
import { rawHead, sendRaw } from '../../support/raw-http.js';
import { AMPLE, restClient, type RestClient } from '../../support/rest-client.js';

const gateway = useGateway();
let client: RestClient;
let id: number;
beforeAll(async () => {
  client = await restClient(gateway);
  id = (JSON.parse(await client.created('{"name":"Rex","categoryId":7}')) as { id: number }).id;
});

/** Asks twice: with fetch, which encodes some characters, and with the exact path. */
async function expectNoPet(petId: string): Promise<void> {
  await expectError(await client.get(`/v1/pets/${petId}`), 404, 'pet_not_found');
  const key = `Authorization: Bearer ${client.secret}`;
  const request = rawHead(`GET /v1/pets/${petId} HTTP/1.1`, 'Host: x', 'Connection: close', key);
  expectRawError(await sendRaw(gateway.url, request), 404, 'pet_not_found');
}

describe('GET /v1/pets/{petId}', () => {
  it('answers 200 with the pet', async () => {
    const answer = await client.get(`/v1/pets/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expectCommonHeaders(answer);
    expect(await answer.json()).toEqual({ id, name: 'Rex', categoryId: 7, status: 'available' });
  });

  it.each(['9007199254740993', '9223372036854775807', '-9223372036854775808'])(
    'finds the pet with the id %s, and no neighbour of it',
    async (far) => {
      await gateway.services.petsStore.insert({
        id: BigInt(far),
        name: 'far',
        categoryId: BigInt(far),
        status: 'sold',
        createdAt: new Date(),
      });
      const answer = await client.get(`/v1/pets/${far}`);
      expect(await answer.text()).toBe(`{"id":${far},"name":"far","categoryId":${far},"status":"sold"}`);
      await expectError(await client.get('/v1/pets/9007199254740992'), 404, 'pet_not_found');
    },
  );

  it.each([
    '999999',
    '0',
    '-1',
    'abc',
    '-0',
    '9223372036854775808',
    '-9223372036854775809',
    '9'.repeat(400),
    '1'.repeat(15_000),
    '%EF%BC%91',
    '%FF',
    '%ZZ',
    '%',
    '1%2F2',
    '..%2f',
    '$ne',
    '[$ne]=1',
    'null',
    '1;x=1',
    '{"$gt":0}',
    '__proto__',
    'constructor',
  ])('answers 404 pet_not_found for the id %.20s', (petId) => expectNoPet(petId));

  it.each([
    (digits: string) => digits.replace(/[0-9]/g, (digit) => `%3${digit}`),
    (digits: string) => `0${digits}`,
    (digits: string) => `+${digits}`,
    (digits: string) => `-${digits}`,
    (digits: string) => `${digits}.0`,
    (digits: string) => `${digits}e0`,
    (digits: string) => `${digits}%00`,
    (digits: string) => `${digits}%20`,
    (digits: string) => `${digits},${digits}`,
  ])('answers 404 pet_not_found for another spelling of an id that exists: %s', (spell) =>
    expectNoPet(spell(String(id))),
  );

  it.each(['/v1/pets/', '/v1/pets/1/', '/v1/pets//1', '/v1//pets', '/V1/pets', '/v1/Pets', '/pets', '/'])(
    'answers 404 not_found for %s',
    async (path) => {
      await expectError(await client.get(path), 404, 'not_found');
    },
  );

  it('answers 400 to a query parameter, which this operation does not have', async () => {
    const body = await expectError(await client.get(`/v1/pets/${id}?fields=name`), 400, 'invalid_request');
    expect(body.details?.fields?.map(({ field }) => field)).toEqual(['fields']);
  });
});

describe('the deprecation of getPet', () => {
  const expectAnnouncement = (answer: Response) => {
    expect(answer.headers.get('deprecation')).toBe(`@${Date.parse('2026-11-21T00:00:00Z') / 1000}`);
    expect(answer.headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
    expect(answer.headers.get('link')).toMatch(/<\/v1\/pets>; rel="successor-version"/);
    expect(answer.headers.get('link')).toMatch(/rel="deprecation"/);
  };

  it.each([
    ['200', () => `/v1/pets/${id}`, {}],
    ['404', () => '/v1/pets/999999', {}],
    ['400', () => `/v1/pets/${id}?x=1`, {}],
    ['406', () => `/v1/pets/${id}`, { accept: 'text/html' }],
  ])('is announced on the answer %s', async (status, path, headers) => {
    const answer = await client.get(path(), headers);
    expect(answer.status).toBe(Number(status));
    expectAnnouncement(answer);
  });

  it('is not announced on the operations that stay', async () => {
    const answer = await client.get('/v1/pets');
    expect(answer.headers.has('deprecation')).toBe(false);
    expect(answer.headers.has('sunset')).toBe(false);
  });

  it('ends with 410 operation_removed for every id from 2030-12-05T00:00:00Z on, and not before', async () => {
    let now = Date.parse('2030-12-04T23:59:59.999Z');
    const later = await startGateway({ clock: () => now });
    try {
      const { secret } = await later.keyOn('enterprise', AMPLE);
      const { id: petId } = await later.services.pets.create(
        {
          name: 'Rex',
          categoryId: 7n,
          status: 'available',
        },
        undefined,
      );
      const path = `/v1/pets/${petId}`;
      const before = await later.request(path, { key: secret });
      expect(before.status).toBe(200);
      expectAnnouncement(before);
      expectCommonHeaders(before);

      now = Date.parse('2030-12-05T00:00:00Z');
      for (const gone of [path, '/v1/pets/999999', '/v1/pets/abc']) {
        const answer = await later.request(gone, { key: secret });
        await expectError(answer, 410, 'operation_removed');
        expectAnnouncement(answer);
      }
      expect((await later.request('/v1/pets', { key: secret })).status).toBe(200);
    } finally {
      await later.close();
    }
  });
});
