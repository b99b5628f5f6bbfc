import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DOCUMENTED_PROXIES,
  startDocumentedProxy,
  type RunningProxy,
} from '../support/documented-proxies.js';
import { tapGateway } from '../support/gateway-tap.js';

const CLIENTS = 32;

/** In place of a gateway, which would close after 65 s: whatever is closed before, the proxy closes. */
let server: Server;
beforeAll(async () => {
  server = createServer((_req, res) => void setTimeout(() => res.end('{}'), 200));
  server.keepAliveTimeout = 600_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});

test('no proxy sends a request on a connection that was idle for more than 60 s', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxies = await Promise.all(
    DOCUMENTED_PROXIES.map(async (name) => {
      const tap = await tapGateway(url);
      return { name, tap, proxy: await startDocumentedProxy(name, tap.hosts) };
    }),
  );
  const isAsked = ({ head }: { head: string }) => head.includes(' /v1/pets ');
  try {
    // HAProxy opens a connection for a client's first request, and takes an idle one for the second.
    const askTwice = async (proxy: RunningProxy) => {
      const agent = proxy.keepingAgent();
      for (let i = 0; i < 2; i += 1)
        // A proxy may close a kept connection of a client at the moment the client uses it.
        await proxy.ask('/v1/pets', { agent }).catch(() => proxy.ask('/v1/pets', { agent }));
      agent.destroy();
    };
    // HAProxy closes a share of its idle connections at a time: with a single one, nothing would be seen.
    const askAll = async () => {
      for (const { proxy } of proxies)
        await Promise.all(Array.from({ length: CLIENTS }, () => askTwice(proxy)));
    };
    await askAll();
    const opened = proxies.map(
      ({ tap }) => tap.requests.filter((each) => isAsked(each) && each.idleMs === undefined).length,
    );
    expect(Math.min(...opened)).toBeGreaterThan(CLIENTS / 2);
    await delay(61_500);
    await askAll();
    for (const { tap } of proxies)
      expect(tap.requests.filter(isAsked).length).toBeGreaterThanOrEqual(4 * CLIENTS);
    const tooOld = proxies.map(({ name, tap }) => [
      name,
      tap.requests.filter(({ idleMs = 0 }) => idleMs > 61_000).length,
    ]);
    expect(tooOld).toEqual(DOCUMENTED_PROXIES.map((name) => [name, 0]));
  } finally {
    for (const { proxy, tap } of proxies) {
      await proxy.close();
      await tap.close();
    }
  }
});
