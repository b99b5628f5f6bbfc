import { unauthenticatedHeaders } from '../../../src/http/answers/rate-limit-headers.js';
import { createGatewayServer } from '../../../src/http/server/server.js';
import { systemClock as clock } from '../../../src/lib/clock.js';
import { createClientLimiter } from '../../../src/features/limiter/client-limiter.js';

const gateway = createGatewayServer(
  unauthenticatedHeaders({ anonymous: createClientLimiter(7, clock), clock }),
);
let url: string;

beforeAll(async () => {
  url = `http://127.0.0.1:${await gateway.listen(0, '127.0.0.1')}`;
});
afterAll(() => gateway.drain(0));

describe('while the gateway is starting', () => {
  test('a request is 503 service_unavailable with Retry-After and every rate limit header', async () => {
    const response = await fetch(`${url}/v1/pets`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(response.headers.get('x-ratelimit-limit')).toBe('7');
    expect(response.headers.get('ratelimit-policy')).toBe('"anonymous";q=7;w=60');
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });

  test('it is live, and not ready', async () => {
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
  });
});
