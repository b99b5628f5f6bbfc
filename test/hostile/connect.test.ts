import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createApp } from '../../src/app/app.js';
import { unauthenticatedHeaders } from '../../src/http/answers/rate-limit-headers.js';
import { createGatewayServer } from '../../src/http/server/server.js';
import { rawHead } from '../support/raw-http.js';
import { startVictim, type Victim } from './victim.js';

/** CONNECT makes Node let go of a connection: what becomes of that is for the gateway to watch. */
const CONNECT = rawHead('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443');
/** Over a megabyte, for everybody. */
const LARGE = rawHead('GET /docs/reference/scalar.js HTTP/1.1', 'Host: x');

let victim: Victim;
beforeEach(async () => {
  victim = await startVictim();
});
afterEach(() => victim.close());

/** A server of its own, whose `close` waits until it has no connection left. */
async function listen(): Promise<{ open: () => Promise<Socket>; close: () => Promise<void> }> {
  const { services } = victim.gateway;
  const rateHeaders = unauthenticatedHeaders(services);
  const server = createGatewayServer(rateHeaders, {
    headersMs: 10_000,
    body: { graceMs: 10_000, bytesPerSecond: 1 },
    unreadMs: 100,
    checkMs: 1000,
  });
  server.handle(createApp(services), rateHeaders);
  const port = await server.listen(0, '127.0.0.1');
  return {
    async open() {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    },
    // No connection is cut before a test has failed by its time.
    close: () => server.drain(600_000),
  };
}

test('a client that resets the connection ends only that connection', async () => {
  const { open, close } = await listen();
  for (const isAnswered of [true, false]) {
    const socket = await open();
    socket.write(CONNECT);
    if (isAnswered) await once(socket, 'data');
    socket.resetAndDestroy();
  }
  await close();
  await victim.expectAlive();
});

test('disconnects a client that reads no responses', async () => {
  const { open, close } = await listen();
  const socket = await open();
  socket.pause();
  socket.write(LARGE.repeat(100) + CONNECT);
  await expect(close()).resolves.toBeUndefined();
  socket.destroy();
});
