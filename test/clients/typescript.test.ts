import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  createPetsClient,
  type PetsClient,
  type PetsClientOptions,
} from '../../clients/typescript/src/client.js';
import type { Deprecation } from '../../clients/typescript/src/deprecation.js';
import { PetChanged, PetsApiError, PetsUnreachable } from '../../clients/typescript/src/errors.js';
import type { RoutedOperationId } from '../../src/interfaces/rest/rest-routes.js';
import { useGateway } from '../support/gateway.js';
import { chooseFreePort } from '../support/free-port.js';
import { runProgram } from '../support/run-program.js';

const gateway = useGateway();

/** A client of a project of its own, what it waited and how often it asked. */
async function clientOn(requestsPerMinute: number, options: Partial<PetsClientOptions> = {}) {
  const quota = { requestsPerMinute, requestsPerDay: 1000 };
  const { apiKey, secret } = await gateway.keyOn('enterprise', quota);
  const waitsMs: number[] = [];
  const requests: string[] = [];
  const client = createPetsClient({
    baseUrl: `${gateway.url}/v1`,
    apiKey: secret,
    retry: {
      async wait(ms) {
        waitsMs.push(ms);
        await gateway.services.apiKeys.resetQuota(apiKey.id);
      },
    },
    fetch: (url, init) => {
      requests.push(init?.method ?? 'GET');
      return fetch(url, init);
    },
    ...options,
  });
  return { client, waitsMs, requests };
}

test('its types are those of the OpenAPI description', async () => {
  const check = [join(__dirname, '../../tools/codegen/client-types.mjs'), '--check'];
  expect(await runProgram(process.execPath, check)).toMatchObject({ code: 0 });
});

/** An operation that the API gains is a compile error here. */
const METHODS: Record<RoutedOperationId, keyof PetsClient> = {
  listPets: 'list',
  createPet: 'create',
  getPet: 'get',
  updatePet: 'updatePet',
  deletePet: 'deletePet',
};

test('has a method for each operation', async () => {
  const { client } = await clientOn(100);
  expect(Object.keys(client)).toEqual(expect.arrayContaining(Object.values(METHODS)));
});

test('adds, gets and lists, with every digit of an int64', async () => {
  const { client } = await clientOn(100, { onDeprecation: () => undefined });
  const made = await client.create({ name: 'Pixel "é" 🐕', categoryId: 9223372036854775807n });
  expect(made).toEqual({
    id: expect.any(BigInt) as bigint,
    name: 'Pixel "é" 🐕',
    categoryId: 9223372036854775807n,
    status: 'available',
  });
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- it is there until its sunset
  expect(await client.get(made.id)).toEqual({ ...made, etag: expect.stringMatching(/^"/) as string });
  const { pets } = await client.list({ limit: 100 });
  expect(pets).toContainEqual(made);
});

test('reports a deprecated operation once, and no other', async () => {
  const reported: Deprecation[] = [];
  const { client } = await clientOn(100, { onDeprecation: (deprecation) => reported.push(deprecation) });
  await client.list();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the deprecation is what this test is about
  for (const id of [-1n, -2n]) await expect(client.get(id)).rejects.toMatchObject({ code: 'pet_not_found' });
  expect(reported).toEqual([
    {
      method: 'get',
      deprecatedAt: new Date('2026-11-21T00:00:00Z'),
      sunset: new Date('2030-12-05T00:00:00Z'),
      documentation: `${gateway.url}/docs/versioning`,
    },
  ]);
});

test('without onDeprecation, prints one warning about a deprecated operation', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  try {
    const { client } = await clientOn(100);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the deprecation is what this test is about
    for (const id of [-1n, -2n]) await expect(client.get(id)).rejects.toMatchObject({ status: 404 });
    expect(warn.mock.calls).toEqual([
      [`pets-gateway-client: get() is deprecated and ends on 2030-12-05: ${gateway.url}/docs/versioning`],
    ]);
  } finally {
    warn.mockRestore();
  }
});

test('all() returns every pet once, page after page', async () => {
  const { client, requests } = await clientOn(100);
  const ids: bigint[] = [];
  for (let i = 0; i < 5; i += 1)
    ids.push((await client.create({ name: `p${i}`, categoryId: 77n, status: 'sold' })).id);
  requests.length = 0;
  const found: bigint[] = [];
  for await (const { id } of client.all({ categoryId: 77n, limit: 2 })) found.push(id);
  expect(found).toEqual(ids);
  expect(requests).toHaveLength(3);
});

test('waits after a 429 as long as it says, but not longer than allowed', async () => {
  const { client, waitsMs, requests } = await clientOn(1);
  await client.list();
  await client.list();
  expect(requests).toHaveLength(3);
  expect(waitsMs).toEqual([expect.any(Number)]);
  expect(waitsMs[0]).toBeGreaterThanOrEqual(1000);

  const hasty = await clientOn(1, { retry: { maxWaitMs: 10 } });
  await hasty.client.list();
  await expect(hasty.client.list()).rejects.toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
});

/** A server that answers each request with the next of these responses. */
async function answering(responses: [status: number, headers: Record<string, string>, body: string][]) {
  const server = createHttpServer((_req, res) => {
    const [status, headers, body] = responses.shift() ?? [500, {}, ''];
    res.writeHead(status, headers).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

test('waits longer and longer after a 429 without Retry-After: of a proxy, or whose header a proxy removed', async () => {
  const body = '{"code":"rate_limit_exceeded","message":"","status":429,"retryAfterSeconds":7}';
  const { server, baseUrl } = await answering([
    [429, {}, '<h1>Too many requests</h1>'],
    [429, {}, '<h1>Too many requests</h1>'],
    [429, {}, body],
    [200, {}, '[]'],
  ]);
  try {
    const { client, waitsMs } = await clientOn(100, { baseUrl });
    expect(await client.list()).toEqual({ pets: [], next: undefined });
    expect(waitsMs).toHaveLength(3);
    [4000, 8000, 7000].forEach((ms, i) => {
      expect(waitsMs[i]).toBeGreaterThanOrEqual(ms);
      expect(waitsMs[i]).toBeLessThanOrEqual(ms + 500);
    });
  } finally {
    server.close();
  }
});

test('an error that no retry can fix fails at once, with the code and the field', async () => {
  const { client, requests } = await clientOn(100);
  const failure: unknown = await client.create({ name: '', categoryId: 1n }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(PetsApiError);
  expect(failure).toMatchObject({
    code: 'invalid_request',
    status: 400,
    details: { fields: [{ field: 'name', message: 'must not be blank' }] },
    requestId: expect.any(String) as string,
    method: 'POST',
    url: `${gateway.url}/v1/pets`,
  });
  expect(requests).toHaveLength(1);
});

test('after a lost response, repeats the create and adds one pet', async () => {
  const { port } = new URL(gateway.url);
  let lost = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(port), '127.0.0.1');
    client.on('error', () => server.destroy()).pipe(server);
    server.on('error', () => client.destroy());
    if (lost >= 2) {
      server.pipe(client);
      return;
    }
    // The gateway has answered: what it was asked is done.
    server.once('data', () => {
      lost += 1;
      client.destroy();
      server.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  try {
    const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`;
    const { client, waitsMs } = await clientOn(100, { baseUrl });
    const made = await client.create({ name: 'once', categoryId: 4242n, status: 'sold' });
    expect(lost).toBe(2);
    expect(waitsMs).toHaveLength(2);
    const { client: direct } = await clientOn(100);
    const ids: bigint[] = [];
    for await (const pet of direct.all({ categoryId: 4242n })) ids.push(pet.id);
    expect(ids).toEqual([made.id]);
  } finally {
    proxy.close();
  }
});

test('without a server, retries as often as set, with growing waits, then throws PetsUnreachable', async () => {
  const baseUrl = `http://127.0.0.1:${await chooseFreePort()}/v1`;
  const { client, waitsMs } = await clientOn(100, { baseUrl });
  const failure: unknown = await client.list({ limit: 5 }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(PetsUnreachable);
  expect(failure).toMatchObject({
    method: 'GET',
    url: `${baseUrl}/pets?limit=5`,
    code: 'ECONNREFUSED',
    message: expect.stringContaining(`GET ${baseUrl}/pets?limit=5: got no response: `) as string,
    cause: expect.objectContaining({ message: 'fetch failed' }) as Error,
  });
  expect(waitsMs).toHaveLength(4);
  waitsMs.forEach((ms, i) => expect(ms).toBeLessThanOrEqual(500 * 2 ** i));
});

test('sends nothing after an abort during a wait', async () => {
  const { client } = await clientOn(1, { retry: {} });
  await client.list();
  const abort = new AbortController();
  const listing = client.list({ signal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(listing).rejects.toThrow('enough');
});

test('passes an error of a callback on, and retries nothing', async () => {
  const { client, requests } = await clientOn(5, {
    onRateLimit() {
      throw new Error('mine');
    },
  });
  await expect(client.create({ name: 'once', categoryId: 1n })).rejects.toThrow('mine');
  expect(requests).toHaveLength(1);
});

test('requests a wrong address only once', async () => {
  const other = createHttpServer((_req, res) => res.writeHead(404).end('<h1>Not here</h1>')).listen(
    0,
    '127.0.0.1',
  );
  await once(other, 'listening');
  try {
    const baseUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1`;
    const { client, requests } = await clientOn(5, { baseUrl });
    await expect(client.list()).rejects.toMatchObject({
      status: 404,
      code: 'unexpected_response',
      url: `${baseUrl}/pets`,
      cause: '<h1>Not here</h1>',
    });
    expect(requests).toHaveLength(1);
  } finally {
    other.close();
  }
});

test('changes the fields that are named, and removes, if the pet is still the version that was read', async () => {
  const { client } = await clientOn(100);
  const { id } = await client.create({ name: 'Luna', categoryId: 9007199254740993n });
  const first = await client.updatePet(id, { name: 'Luna II' });
  expect(first).toEqual({
    ...{ id, name: 'Luna II', categoryId: 9007199254740993n, status: 'available' },
    etag: expect.stringMatching(/^"/) as string,
  });
  const second = await client.updatePet(id, { status: 'pending' }, { ifMatch: first.etag });
  expect(second).toMatchObject({ name: 'Luna II', status: 'pending' });
  const current = { name: 'Luna II', categoryId: 9007199254740993n, status: 'pending' };
  for (const late of [
    () => client.updatePet(id, { status: 'sold' }, { ifMatch: first.etag }),
    () => client.deletePet(id, { ifMatch: first.etag }),
  ]) {
    const failure: unknown = await late().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PetChanged);
    expect(failure).toBeInstanceOf(PetsApiError);
    expect(failure).toMatchObject({ code: 'precondition_failed', status: 412, current, details: current });
  }
  await client.deletePet(id, { ifMatch: second.etag });
  await expect(client.deletePet(id)).rejects.toMatchObject({ code: 'pet_not_found' });
});

test('after a lost response, a change and a removal that are repeated succeed', async () => {
  const { client: direct } = await clientOn(100);
  const lossy = async () => {
    let isLost = false;
    const { client, waitsMs } = await clientOn(100, {
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (isLost || init?.method === 'POST') return response;
        isLost = true;
        throw new TypeError('fetch failed');
      },
    });
    return { client, waitsMs };
  };
  const changing = await lossy();
  const { id } = await changing.client.create({ name: 'Luna', categoryId: 1n });
  const changed = await changing.client.updatePet(id, { status: 'pending' });
  expect(changed).toMatchObject({ id, status: 'pending' });
  expect(changing.waitsMs).toHaveLength(1);

  const removing = await lossy();
  const other = await removing.client.create({ name: 'Milo', categoryId: 1n });
  await removing.client.deletePet(other.id);
  expect(removing.waitsMs).toHaveLength(1);
  await expect(direct.deletePet(other.id)).rejects.toMatchObject({ code: 'pet_not_found' });
});

test('lists with filters, and is a sequence of all pets', async () => {
  const asked: string[] = [];
  const client = createPetsClient({
    baseUrl: 'http://pets.example/v1',
    apiKey: 'x',
    fetch: (url) => {
      asked.push(url as string);
      const isFirst = asked.length === 2;
      const headers = isFirst ? { Link: '</v1/pets?after=cGV0OjE>; rel="next"' } : {};
      const pet = { id: asked.length, name: 'Rex', categoryId: 7, status: 'sold' };
      return Promise.resolve(new Response(JSON.stringify([pet]), { headers }));
    },
  });
  await client.list({ mine: true, categoryId: 9007199254740993n, status: 'sold', limit: 5 });
  const ids: bigint[] = [];
  for await (const { id } of client) ids.push(id);
  expect(ids).toEqual([2n, 3n]);
  expect(asked).toEqual([
    'http://pets.example/v1/pets?mine=true&categoryId=9007199254740993&status=sold&limit=5',
    'http://pets.example/v1/pets',
    'http://pets.example/v1/pets?after=cGV0OjE',
  ]);
});

test('reports the state of the quota', async () => {
  const reported: number[] = [];
  const { client } = await clientOn(5, {
    onRateLimit: ({ limit, remaining }) => reported.push(limit, remaining),
  });
  await client.list();
  await client.list();
  expect(reported).toEqual([5, 4, 5, 3]);
});
