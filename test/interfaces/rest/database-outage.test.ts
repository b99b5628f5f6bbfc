import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expectError } from '../../support/expect-answer.js';
import { startGateway } from '../../support/gateway.js';
import { mongoUriThrough } from '../../support/mongo-uri-through.js';
import { AMPLE } from '../../support/rest-client.js';

/** A wire to MongoDB that can be cut, as a network cuts it: nothing is closed by us in good order. */
async function cuttableWire(
  target: URL,
): Promise<{ uri: string; cut: () => void; restore: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    uri: mongoUriThrough(target.href, port),
    restore: () => listen(port),
    cut() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

it('answers 503 with Retry-After while MongoDB is out of reach, and 200 once it is back', async () => {
  const direct = process.env['TEST_MONGODB_URI'] ?? '';
  const wire = await cuttableWire(new URL(direct));
  process.env['TEST_MONGODB_URI'] = wire.uri;
  const gateway = await startGateway();
  try {
    const { secret: seen } = await gateway.keyOn('enterprise', AMPLE);
    const { secret: unseen } = await gateway.keyOn('enterprise', AMPLE);
    expect((await gateway.request('/v1/pets', { key: seen })).status).toBe(200);
    wire.cut();
    // At first nobody has noticed; the second time the driver knows.
    for (let round = 1; round <= 2; round++) {
      const answers = await Promise.all([
        gateway.request('/v1/pets', { key: seen }),
        gateway.request('/v1/pets', { key: unseen }),
        gateway.request('/v1/pets', {
          key: seen,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"name":"Rex","categoryId":7}',
        }),
      ]);
      for (const answer of answers) {
        await expectError(answer, 503, 'service_unavailable');
        expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
      }
    }
    await wire.restore();
    expect((await gateway.request('/v1/pets', { key: seen })).status).toBe(200);
  } finally {
    await gateway.close();
    wire.cut();
    process.env['TEST_MONGODB_URI'] = direct;
  }
});
