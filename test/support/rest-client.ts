import type { TestGateway } from './gateway.js';

/** Enough for any test that is not about quotas. */
export const AMPLE = { requestsPerMinute: 1_000_000, requestsPerDay: 10_000_000 };

/** The REST interface with a key that no test uses up. */
export interface RestClient {
  secret: string;
  get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  /** Posts the text or the bytes as they are, as application/json unless `headers` say otherwise. */
  post: (body: string | Uint8Array, headers?: Record<string, string>) => Promise<Response>;
  /** Posts and checks 201; gives the answer's text, since its integers may be past 2^53. */
  created: (body: string) => Promise<string>;
}

export async function restClient(gateway: TestGateway): Promise<RestClient> {
  const { secret } = await gateway.keyOn('enterprise', AMPLE);
  const client: RestClient = {
    secret,
    get: (path, headers = {}) => gateway.request(path, { key: secret, headers }),
    post: (body, headers = {}) =>
      gateway.request('/v1/pets', {
        method: 'POST',
        key: secret,
        body: typeof body === 'string' ? body : new Uint8Array(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    async created(body) {
      const answer = await client.post(body);
      const text = await answer.text();
      expect({ status: answer.status, text }).toMatchObject({ status: 201 });
      return text;
    },
  };
  return client;
}
