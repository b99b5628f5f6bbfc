import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range that Linux, macOS and Windows hand to outgoing connections, so that it is free next time too. */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;

/** Whether 127.0.0.1:port can be listened on at this moment. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryToListen(port)) !== undefined;
}

/** @throws Error when no port at all can be had. */
export async function chooseFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const port = await tryToListen(randomInt(LOWEST_PORT, HIGHEST_PORT));
    if (port !== undefined) return port;
  }
  const port = await tryToListen(0);
  if (port === undefined) throw new Error('no port on 127.0.0.1 is free');
  return port;
}

function tryToListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
