import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { startGateway, type StartedGateway } from '../support/gateway.js';

/**
 * Starts a node beside the given gateway whose `url` is its PUBLIC_URL: links in its responses are absolute. The
 * address is that of a proxy, as behind a load balancer.
 */
export async function startWithPublicUrl(beside: StartedGateway): Promise<StartedGateway> {
  const front = createServer((client) => {
    const server = connect(Number(new URL(node.url).port), '127.0.0.1');
    client.on('error', () => server.destroy()).pipe(server);
    server.on('error', () => client.destroy()).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const node = await startGateway({ beside, env: { PUBLIC_URL: url } });
  return {
    ...node,
    url,
    async close() {
      front.close();
      await node.close();
    },
  };
}
