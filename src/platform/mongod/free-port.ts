import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ephemeral port ranges of Linux, macOS and Windows, so that the port is likely to be free at the next start.
 */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;

/** Whether a server can listen on 127.0.0.1:port now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryToListen(port)) !== undefined;
}

/** @throws Error when no port is free */
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
