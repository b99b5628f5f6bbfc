import { expectError } from '../../support/expect-answer.js';
import { startGateway, useGateway } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';

const gateway = useGateway();
const MERGE_PATCH = 'application/merge-patch+json';
let key: string;
let foreign: string;
let admin: string;
beforeAll(async () => {
  ({ secret: key } = await gateway.keyOn('enterprise', AMPLE));
  ({ secret: foreign } = await gateway.keyOn('enterprise', AMPLE));
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' }));
});

interface Sent {
  body?: string;
  as?: string;
  headers?: Record<string, string>;
}
const send = (method: string, id: string, { body, as = key, headers = {} }: Sent = {}) =>
  gateway.request(`/v1/pets/${id}`, {
    method,
    key: as,
    headers: { ...(method === 'PATCH' && { 'content-type': MERGE_PATCH }), ...headers },
    ...(body !== undefined && { body }),
  });
const patch = (id: string, body: string, sent: Omit<Sent, 'body'> = {}) =>
  send('PATCH', id, { ...sent, body });
const read = async (id: string) => {
  const answer = await send('GET', id);
  return { body: await answer.text(), etag: answer.headers.get('etag') ?? '' };
};

async function add(categoryId = '1'): Promise<string> {
  const answer = await gateway.request('/v1/pets', {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json' },
    body: `{"name":"Rex","categoryId":${categoryId}}`,
  });
  return /"id":(\d+)/.exec(await answer.text())?.[1] ?? '';
}

describe('PATCH', () => {
  test.each([MERGE_PATCH, 'application/json', 'Application/Merge-Patch+JSON; charset=UTF-8'])(
    'as %s changes the fields that it names, and the others stay, past 2^53 too',
    async (type) => {
      const id = await add('9007199254740993');
      const answer = await patch(id, '{"status":"pending"}', { headers: { 'content-type': type } });
      expect(answer.status).toBe(200);
      const body = `{"id":${id},"name":"Rex","categoryId":9007199254740993,"status":"pending"}`;
      expect(await answer.text()).toBe(body);
      expect(await read(id)).toEqual({ body, etag: answer.headers.get('etag') });
    },
  );

  test('of another media type is 415 with Accept-Patch, which OPTIONS has too', async () => {
    const id = await add();
    const answer = await patch(id, '{"name":"A"}', {
      headers: { 'content-type': 'application/json-patch+json' },
    });
    await expectError(answer, 415, 'unsupported_media_type');
    expect(answer.headers.get('accept-patch')).toBe('application/merge-patch+json, application/json');
    const { status, headers } = await gateway.request(`/v1/pets/${id}`, { method: 'OPTIONS', key });
    expect([status, headers.get('allow'), headers.get('accept-patch')]).toEqual([
      204,
      'GET, HEAD, PATCH, DELETE, OPTIONS',
      'application/merge-patch+json, application/json',
    ]);
  });
});

describe('DELETE', () => {
  test('is 204, and again 404', async () => {
    const id = await add();
    const answer = await send('DELETE', id);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    await expectError(await send('DELETE', id), 404, 'pet_not_found');
    await expectError(await send('GET', id), 404, 'pet_not_found');
    await expectError(await patch(id, '{"name":"A"}'), 404, 'pet_not_found');
  });

  test('with a body is 400', async () => {
    const id = await add();
    const { details } = await expectError(await send('DELETE', id, { body: '{}' }), 400, 'invalid_request');
    expect(details?.fields).toMatchObject([{ field: 'body' }]);
    expect((await read(id)).body).toContain('Rex');
  });
});

test.each(['abc', '05', '9223372036854775808'])('the id %s, which no pet can have, is 404', async (id) => {
  await expectError(await patch(id, '{"name":"A"}'), 404, 'pet_not_found');
  await expectError(await send('DELETE', id), 404, 'pet_not_found');
});

test('a pet of another project can only be read; an admin can change and remove all', async () => {
  const id = await add();
  const before = await read(id);
  await expectError(await patch(id, '{"name":"A"}', { as: foreign }), 403, 'forbidden');
  await expectError(await send('DELETE', id, { as: foreign }), 403, 'forbidden');
  expect(await read(id)).toEqual(before);
  expect((await patch(id, '{"name":"A"}', { as: admin })).status).toBe(200);
  expect((await send('DELETE', id, { as: admin })).status).toBe(204);
});

describe('If-Match', () => {
  test('a POST has the ETag of the new pet, a PATCH that of the changed one: no read is needed between', async () => {
    const created = await gateway.request('/v1/pets', {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'etag' },
      body: '{"name":"Rex","categoryId":9007199254740993}',
    });
    const id = /"id":(\d+)/.exec(await created.text())?.[1] ?? '';
    let etag = created.headers.get('etag') ?? '';
    expect(etag).toBe((await read(id)).etag);
    for (const status of ['pending', 'sold']) {
      const answer = await patch(id, `{"status":"${status}"}`, { headers: { 'if-match': etag } });
      expect(answer.status).toBe(200);
      etag = answer.headers.get('etag') ?? '';
      expect(etag).toBe((await read(id)).etag);
    }
    expect((await send('DELETE', id, { headers: { 'if-match': etag } })).status).toBe(204);
  });

  test.each(['PATCH', 'DELETE'])('with the current ETag, or *, lets a %s through', async (method) => {
    const body = method === 'PATCH' ? { body: '{"status":"sold"}' } : {};
    for (const tagsOf of [
      (etag: string) => etag,
      (etag: string) => `"other", ${etag}`,
      (etag: string) => `"a,b",${etag}`,
      () => '*',
    ]) {
      const id = await add();
      const { etag } = await read(id);
      const answer = await send(method, id, { ...body, headers: { 'if-match': tagsOf(etag) } });
      expect(answer.status).toBe(method === 'PATCH' ? 200 : 204);
    }
  });

  test.each(['PATCH', 'DELETE'])('with another ETag, or a weak one, ends a %s with 412', async (method) => {
    const id = await add();
    const before = await read(id);
    for (const as of [key, admin])
      for (const tags of ['"other"', `W/${before.etag}`, `"a","b"`, '"a,b"', '"", ,"a,,b" ,']) {
        const body = method === 'PATCH' ? { body: '{"status":"sold"}' } : {};
        const answer = await send(method, id, { ...body, as, headers: { 'if-match': tags } });
        const { details } = await expectError(answer, 412, 'precondition_failed');
        expect(details).toEqual({ name: 'Rex', categoryId: 1, status: 'available' });
        expect(answer.headers.get('etag')).toBe(before.etag);
      }
    expect(await read(id)).toEqual(before);
  });

  test('that does not match says which ETag the pet has now, or that a weak one never matches', async () => {
    const id = await add();
    const { etag } = await read(id);
    await patch(id, '{"name":"Luna"}');
    const now = await read(id);
    for (const [tags, message] of [
      [etag, `has another ETag than If-Match names: it is now ${now.etag}.`],
      [`W/${etag}`, `has another ETag than If-Match names: it is now ${now.etag}.`],
      [`"other", W/${now.etag}`, `W/${now.etag} in If-Match is a weak ETag, which never matches`],
    ] as const) {
      const answer = await patch(id, '{"status":"sold"}', { headers: { 'if-match': tags } });
      expect((await expectError(answer, 412, 'precondition_failed')).message).toContain(message);
    }
  });

  test("shows no ETag of another project's pet", async () => {
    const id = await add();
    const answer = await patch(id, '{"name":"A"}', { as: foreign, headers: { 'if-match': '"a"' } });
    await expectError(answer, 403, 'forbidden');
    expect(answer.headers.get('etag')).toBeNull();
  });

  test('says the current category as a number with all digits', async () => {
    const id = await add('9007199254740993');
    const answer = await patch(id, '{"status":"sold"}', { headers: { 'if-match': '"other"' } });
    expect([answer.status, await answer.text()]).toEqual([
      412,
      expect.stringContaining('"details":{"name":"Rex","categoryId":9007199254740993,"status":"available"}}'),
    ]);
  });

  test('that is no list of entity tags is 400', async () => {
    const id = await add();
    for (const tags of ['abc', '', ',', '"a" "b"', "'a'", '"a', '"a"b"', '*,"a"', '"a",*'])
      await expectError(
        await patch(id, '{"name":"A"}', { headers: { 'if-match': tags } }),
        400,
        'invalid_request',
      );
  });

  test('does not hide that a pet does not exist', async () => {
    const headers = { 'if-match': '*' };
    await expectError(await patch('4242424242', '{"name":"A"}', { headers }), 404, 'pet_not_found');
  });
});

describe('Idempotency-Key', () => {
  test('on PATCH: the same request again has the same response, and changes nothing', async () => {
    const id = await add();
    const { etag } = await read(id);
    const headers = { 'idempotency-key': 'reserve', 'if-match': etag };
    for (const as of [key, admin]) {
      const first = await patch(id, '{"status":"pending"}', { headers: { ...headers, 'if-match': '*' }, as });
      expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null]);
      await patch(id, '{"name":"Luna"}');
      const again = await patch(id, ' { "status": "pending" } ', {
        headers: { ...headers, 'if-match': '*' },
        as,
      });
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
      expect(await again.text()).toBe(await first.text());
      expect((await read(id)).body).toContain('Luna');
    }
  });

  test.each<[string, (id: string, other: string) => Promise<Response>]>([
    ['body', (id) => patch(id, '{"status":"sold"}', { headers: { 'idempotency-key': 'once' } })],
    [
      'animal',
      (_, other) => patch(other, '{"status":"pending"}', { headers: { 'idempotency-key': 'once' } }),
    ],
    [
      'precondition',
      (id) => patch(id, '{"status":"pending"}', { headers: { 'idempotency-key': 'once', 'if-match': '*' } }),
    ],
  ])('with another %s is 422', async (_, again) => {
    const [id, other] = [await add(), await add()];
    const headers = { 'idempotency-key': 'once' };
    // The key is used within the project, so each case has a project of its own.
    const own = key;
    expect((await patch(id, '{"status":"pending"}', { headers, as: own })).status).toBeLessThan(423);
    await expectError(await again(id, other), 422, 'idempotency_mismatch');
  });

  test('of a request that failed can be used again', async () => {
    const id = await add();
    const { etag } = await read(id);
    await patch(id, '{"status":"pending"}');
    const headers = { 'idempotency-key': 'failed', 'if-match': etag };
    await expectError(await patch(id, '{"status":"sold"}', { headers }), 412, 'precondition_failed');
    await patch(id, '{"status":"available"}');
    expect((await patch(id, '{"status":"sold"}', { headers })).status).toBe(200);
  });

  test('on DELETE: again 204, and not 404', async () => {
    const id = await add();
    const headers = { 'idempotency-key': 'remove' };
    expect((await send('DELETE', id, { headers })).status).toBe(204);
    const again = await send('DELETE', id, { headers });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([204, 'true']);
  });

  test('of many equal requests at once, one changes the pet', async () => {
    const id = await add();
    const { etag } = await read(id);
    const headers = { 'idempotency-key': 'at-once', 'if-match': etag };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => patch(id, '{"status":"pending"}', { headers })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const fresh = answers.filter(
      ({ status, headers: of }) => status === 200 && of.get('idempotency-replayed') === null,
    );
    expect(fresh).toHaveLength(1);
  });
});

test('a preflight allows both methods and the headers', async () => {
  const answer = await gateway.request('/v1/pets/1', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,if-match,idempotency-key',
    },
  });
  expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PATCH, DELETE');
  expect(answer.headers.get('access-control-allow-headers')).toContain('if-match');
});

test('after the removal of getPet, both go on', async () => {
  const id = await add();
  const later = await startGateway({
    clock: () => Date.parse('2030-12-05T00:00:00Z'),
    beside: gateway,
  });
  try {
    const path = `/v1/pets/${id}`;
    await expectError(await later.request(path, { key }), 410, 'operation_removed');
    const changed = await later.request(path, {
      method: 'PATCH',
      key,
      headers: { 'content-type': MERGE_PATCH },
      body: '{"status":"sold"}',
    });
    expect([changed.status, changed.headers.get('deprecation')]).toEqual([200, null]);
    expect((await later.request(path, { method: 'DELETE', key })).status).toBe(204);
  } finally {
    await later.close();
  }
});
