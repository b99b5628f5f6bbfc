import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { ask, connectHttp2 } from '../../test/support/http2-client.js';

/** The files of the page. */
export const PATHS = Array.from({ length: 50 }, (_, i) => `/script-${i}.js`);

/** As many as a browser opens to one host. */
const HTTP1_CONNECTIONS = 6;

export interface Site {
  host: string;
  port: number;
  /** PEM, for clients to trust. */
  root: string;
}

/**
 * The page on one new connection.
 * @returns the length of each file
 * @throws Error if a response is not a 200
 */
export async function fetchOverHttp2({ host, port, root }: Site): Promise<number[]> {
  const session = await connectHttp2(port, host, root);
  const answers = await Promise.all(PATHS.map((path) => ask(session, { ':path': path })));
  session.destroy();
  return answers.map(({ status, text }) => lengthOf(status, text));
}

/** The same on six new connections, which are kept alive until the page is complete. */
export async function fetchOverHttp1({ host, port, root }: Site): Promise<number[]> {
  const agent = new Agent({ ca: root, keepAlive: true, maxSockets: HTTP1_CONNECTIONS, maxCachedSessions: 0 });
  const target = { agent, host: '127.0.0.1', port, servername: host, headers: { host } };
  const lengths = await Promise.all(
    PATHS.map(async (path) => {
      const [answer] = (await once(request({ ...target, path }).end(), 'response')) as [IncomingMessage];
      return lengthOf(answer.statusCode, Buffer.concat(await answer.toArray()).toString());
    }),
  );
  agent.destroy();
  return lengths;
}

function lengthOf(status: number | undefined, text: string): number {
  if (status !== 200) throw new Error(`status ${status ?? 0}: ${text}`);
  return text.length;
}
