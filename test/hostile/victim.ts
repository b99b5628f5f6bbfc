import { startGateway } from '../support/gateway.js';
import { exchangeRaw, rawHead, sendRaw, type RawAnswer } from '../support/raw-http.js';
import { restClient } from '../support/rest-client.js';

/** A gateway to attack, and a key that no attack uses up. */
export interface Victim {
  gateway: Awaited<ReturnType<typeof startGateway>>;
  secret: string;
  /** The head of a request with the key, after whose answer the connection closes. */
  head: (requestLine: string, ...headers: string[]) => string;
  send: (request: string | Buffer) => Promise<RawAnswer>;
  /** The statuses of all that comes back on one connection. */
  statuses: (request: string | Buffer) => Promise<number[]>;
  /** A request with a body, by default to create a pet. */
  post: (
    body: string | Buffer,
    options?: { method?: string; path?: string; type?: string; headers?: string[] },
  ) => Promise<RawAnswer>;
  /** An ordinary request, as anybody else would send it meanwhile. */
  expectAlive: () => Promise<void>;
  close: () => Promise<void>;
}

export async function startVictim(env: Record<string, string> = {}): Promise<Victim> {
  const gateway = await startGateway({ env: { ANONYMOUS_REQUESTS_PER_MINUTE: '1000000', ...env } });
  const { secret } = await restClient(gateway);
  const head = (requestLine: string, ...headers: string[]) =>
    rawHead(requestLine, 'Host: x', 'Connection: close', `Authorization: Bearer ${secret}`, ...headers);
  const send = (request: string | Buffer) => sendRaw(gateway.url, request);
  return {
    gateway,
    secret,
    head,
    send,
    async statuses(request) {
      const answers = await exchangeRaw(gateway.url, request);
      return Array.from(answers.matchAll(/HTTP\/1\.1 ([0-9]{3}) /g), ([, status]) => Number(status));
    },
    post(body, { method = 'POST', path = '/v1/pets', type = 'application/json', headers = [] } = {}) {
      const bytes = Buffer.from(body);
      const lines = [`Content-Type: ${type}`, `Content-Length: ${bytes.length}`, ...headers];
      return send(
        Buffer.concat([Buffer.from(head(`${method} ${path} HTTP/1.1`, ...lines), 'latin1'), bytes]),
      );
    },
    async expectAlive() {
      const answer = await gateway.request('/v1/pets?limit=1', { key: secret });
      expect(answer.status).toBe(200);
    },
    close: () => gateway.close(),
  };
}
