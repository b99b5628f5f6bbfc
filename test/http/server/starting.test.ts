import express from 'express';
import { unauthenticatedHeaders } from '../../../src/http/answers/rate-limit-headers.js';
import { createGatewayServer } from '../../../src/http/server/server.js';
import { systemClock as clock } from '../../../src/lib/clock.js';
import { createClientLimiter } from '../../../src/features/limiter/client-limiter.js';
import { until } from '../../support/until.js';

const rateHeaders = unauthenticatedHeaders({ anonymous: createClientLimiter(7, clock), clock });

/** @param startMs how long a request waits for the start, in milliseconds */
async function startServer(startMs: number) {
  const server = createGatewayServer(rateHeaders, { startMs });
  return { server, url: `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}` };
}

describe('while the gateway is starting', () => {
  test('a request waits, and gets the answer of the app', async () => {
    const { server, url } = await startServer(60_000);
    const answers = Promise.all(
      ['GET', 'POST'].map((method) =>
        fetch(`${url}/v1/pets`, { method, ...(method === 'POST' && { body: 'Pixel' }) }).then((response) =>
          response.text(),
        ),
      ),
    );
    await fetch(`${url}/health/live`);
    const app = express();
    app.use(express.text({ type: '*/*' }), (req, res) => {
      res.send(`${req.method} ${String(req.body)}`);
    });
    server.handle(app, rateHeaders);
    expect(await answers).toEqual([expect.stringMatching(/^GET /), 'POST Pixel']);
    await server.drain(0);
  });

  test('if that takes long, it is 503 service_unavailable with Retry-After and every rate limit header', async () => {
    const { server, url } = await startServer(20);
    const response = await fetch(`${url}/v1/pets`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(response.headers.get('x-ratelimit-limit')).toBe('7');
    expect(response.headers.get('ratelimit-policy')).toBe('"anonymous";q=7;w=60');
    expect(response.headers.get('x-request-id')).not.toBeNull();
    await server.drain(0);
  });

  test('more than a thousand requests do not wait', async () => {
    const { server, url } = await startServer(60_000);
    const abort = new AbortController();
    const answered: number[] = [];
    const asked = Array.from({ length: 1100 }, () =>
      fetch(`${url}/v1/pets`, { signal: abort.signal }).then(
        ({ status }) => answered.push(status),
        () => undefined,
      ),
    );
    await until('the requests that find no place', () => Promise.resolve(answered.length === 100));
    expect(new Set(answered)).toEqual(new Set([503]));
    abort.abort();
    await Promise.all(asked);
    await server.drain(0);
  });

  test('it is live, and not ready', async () => {
    const { server, url } = await startServer(60_000);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
    await server.drain(0);
  });
});
