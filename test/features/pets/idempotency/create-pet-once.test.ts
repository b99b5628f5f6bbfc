import { createMongoIdempotencyStore } from '../../../../src/features/pets/idempotency/mongo-idempotency-store.js';
import { createCreatePetOnce } from '../../../../src/features/pets/idempotency/create-pet-once.js';
import { DAY_MS } from '../../../../src/lib/clock.js';
import { connectMongo } from '../../../../src/platform/mongo/connection.js';
import { renderPet } from '../../../../src/interfaces/rest/render-pet.js';
import { useGateway } from '../../../support/gateway.js';

const ROOMY = { requestsPerMinute: 100_000, requestsPerDay: 1_000_000 };
const HOUR_MS = 3_600_000;
const REX = '{"name":"Rex","categoryId":1}';

let nowMs = Date.now();
const gateway = useGateway({ clock: () => nowMs });
let secret: string;
let projectId: string;

beforeAll(async () => {
  const issued = await gateway.keyOn('enterprise', ROOMY);
  secret = issued.secret;
  projectId = issued.apiKey.projectId ?? '';
});

function create(idempotencyKey: string, body = REX, key = secret): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
  return gateway.request('/v1/pets', { method: 'POST', key, headers, body });
}

async function countOfPets(): Promise<number> {
  let count = 0;
  let path: string | undefined = '/v1/pets?limit=100';
  while (path !== undefined) {
    const response: Response = await gateway.request(path, { key: secret });
    count += ((await response.json()) as unknown[]).length;
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return count;
}

describe('Idempotency-Key on POST /v1/pets', () => {
  test('the same request again: 201 with the same body, Idempotency-Replayed, and no second pet', async () => {
    const first = await create('again');
    const before = await countOfPets();
    const second = await create('"again"', ' { "categoryId": 1.0, "name": "Rex", "status": "available" } ');
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await second.text()).toBe(await first.text());
    expect(await countOfPets()).toBe(before);
  });

  test('a replay has the same bytes as the first response', async () => {
    const request = '{"name":"Zoë \\u2028\\"","categoryId":-9007199254740993}';
    const body = await (await create('bytes', request)).text();
    const replayed = await create('bytes', request);
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(await replayed.text()).toBe(body);
  });

  test.each([
    ['name', '{"name":"Max","categoryId":1}'],
    ['categoryId', '{"name":"Rex","categoryId":2}'],
    ['status', '{"name":"Rex","categoryId":1,"status":"sold"}'],
  ])(
    'a request with another %s under the same key: 422 idempotency_mismatch, and no pet',
    async (field, body) => {
      await create(`other-${field}`);
      const before = await countOfPets();
      const response = await create(`other-${field}`, body);
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ code: 'idempotency_mismatch', status: 422 });
      expect(await countOfPets()).toBe(before);
    },
  );

  test('twenty at once: one pet; every response is 201, or 409 with Retry-After: 1', async () => {
    const before = await countOfPets();
    const responses = await Promise.all(Array.from({ length: 20 }, () => create('crowd')));
    expect(await countOfPets()).toBe(before + 1);
    const made = responses.filter(({ status }) => status === 201);
    expect(new Set(await Promise.all(made.map((response) => response.text()))).size).toBe(1);
    expect(made.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([409, '1']);
      expect(await response.json()).toMatchObject({ code: 'idempotency_in_progress' });
    }
  });

  test('a key belongs to its project: two keys of one project share it, another project does not', async () => {
    const sister = await gateway.services.apiKeys.create({ name: 'sister', projectId });
    const other = await gateway.keyOn('enterprise', ROOMY);
    const first = await (await create('scope')).text();
    const fromSister = await create('scope', REX, sister.secret);
    const fromOther = await create('scope', REX, other.secret);
    expect(await fromSister.text()).toBe(first);
    expect(fromOther.headers.get('idempotency-replayed')).toBeNull();
    expect(await fromOther.text()).not.toBe(first);
  });

  test('a rejection is not stored: 400, then 201 for the fixed request under the same key', async () => {
    expect((await create('fixed', '{"name":"Rex"}')).status).toBe(400);
    const fixed = await create('fixed');
    expect([fixed.status, fixed.headers.get('idempotency-replayed')]).toEqual([201, null]);
  });

  test('after 24 hours the key is free again', async () => {
    const first = await (await create('old')).text();
    nowMs += DAY_MS - 1;
    expect(await (await create('old')).text()).toBe(first);
    nowMs += 1;
    const later = await create('old');
    expect(later.headers.get('idempotency-replayed')).toBeNull();
    expect(await later.text()).not.toBe(first);
  });

  test.each(['', 'with space', 'ü', 'x'.repeat(256), '""'])(
    'the key %j: 400 naming the header',
    async (key) => {
      const response = await create(key);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ details: { fields: [{ field: 'Idempotency-Key' }] } });
    },
  );
});

describe('a crash during the create', () => {
  const newPet = { name: 'Rex', categoryId: 1n, status: 'available' as const };

  async function crashedAttempt(key: string, crashAt: 'before the pet' | 'after the pet'): Promise<bigint> {
    const connection = await connectMongo({
      uri: process.env['TEST_MONGODB_URI'] ?? '',
      defaultDatabase: gateway.databaseName,
      databaseSuffix: '',
      selectionTimeoutMs: 5000,
    });
    const { petsStore } = gateway.services;
    const records = createMongoIdempotencyStore(connection, () => nowMs);
    let petId = 0n;
    const dying = createCreatePetOnce(
      {
        reserveId: () => petsStore.reserveId(),
        insertOnce: async (pet) => {
          petId = pet.id;
          if (crashAt === 'after the pet') await petsStore.insertOnce(pet);
          throw new Error('killed');
        },
      },
      // A killed process releases nothing.
      { ...records, release: () => Promise.resolve() },
      () => nowMs,
    );
    await expect(dying({ owner: projectId, idempotencyKey: key }, newPet)).rejects.toThrow('killed');
    await connection.close();
    return petId;
  }

  test.each(['before the pet', 'after the pet'] as const)(
    '%s: 409 while the attempt may be at work, then 201 with the id it had reserved, once',
    async (crashAt) => {
      const key = `crash ${crashAt}`.replaceAll(' ', '-');
      const petId = await crashedAttempt(key, crashAt);
      expect((await create(key)).status).toBe(409);
      nowMs += 10_000;
      const retried = await create(key);
      expect(retried.status).toBe(201);
      expect(await retried.text()).toBe(renderPet({ id: petId, ...newPet }));
      const again = await create(key);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    },
  );

  test('of a gateway whose clock is an hour ahead: a retry does not wait an hour', async () => {
    nowMs += HOUR_MS;
    const petId = await crashedAttempt('crash-ahead', 'after the pet');
    nowMs -= HOUR_MS;
    const retried = await create('crash-ahead');
    expect(retried.status).toBe(201);
    expect(await retried.text()).toBe(renderPet({ id: petId, ...newPet }));
  });
});
