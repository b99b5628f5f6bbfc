import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const RETRY_AFTER_SECONDS = 5;

export interface LimitedServer {
  url: string;
  /** When the requests with this path came, without its slash: milliseconds after the first one. */
  arrivals: (path: string) => number[];
  close: () => void;
}

/**
 * A server that answers each path as the gateway answers a key of its own. With `limits` the quota of a path is used up
 * for RETRY_AFTER_SECONDS after its first request: 429 with Retry-After. With `breaks` its first request is read and
 * never answered, and the connection closes.
 */
export async function startLimitedServer(mode: 'limits' | 'breaks'): Promise<LimitedServer> {
  const times = new Map<string, number[]>();
  const server = createServer((req, res) => {
    req.resume().once('end', () => {
      const path = decodeURIComponent(req.url ?? '').slice(1);
      const came = times.get(path) ?? [];
      const nowMs = performance.now();
      times.set(path, [...came, nowMs]);
      const leftMs = RETRY_AFTER_SECONDS * 1000 - (nowMs - (came[0] ?? nowMs));
      if (mode === 'breaks' && came.length === 0) req.socket.destroy();
      else if (mode === 'limits' && leftMs > 0)
        res
          .writeHead(429, {
            'Content-Type': mediaTypeFor(req.headers.accept),
            'Retry-After': Math.ceil(leftMs / 1000),
          })
          .end('{"code":"rate_limit_exceeded","message":"Too many requests","status":429,"errors":[]}');
      else res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals(path) {
      const came = times.get(path) ?? [];
      return came.map((ms) => ms - (came[0] ?? ms));
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** As the gateway: clients of GraphQL that ask for it get the media type that makes a 429 a response of GraphQL. */
function mediaTypeFor(accept = ''): string {
  const graphql = 'application/graphql-response+json';
  return accept.includes(graphql) ? graphql : 'application/json';
}
