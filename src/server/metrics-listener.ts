import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Config } from '../config/config.js';
import type { Readiness } from '../features/system/readiness.js';
import { hostOfHeader } from '../lib/host-name.js';
import { isLoopback } from '../lib/loopback.js';
import type { Metrics } from '../observability/metrics/metrics.js';
import { CannotListen } from './listener.js';

/** What the listener serves. */
export interface MetricsSource extends Pick<Metrics, 'expose' | 'contentType'> {
  /** With the checks; the worst of the gateway's processes. */
  readiness: () => Promise<Readiness>;
}

export interface MetricsListener {
  /** Starts to serve. Before this call, requests get 503. */
  begin(source: MetricsSource): void;
  close(): Promise<void>;
}

interface Served {
  status?: number;
  contentType: string;
  text: string;
}

const SERVED: ReadonlyMap<string, (source: MetricsSource) => Promise<Served>> = new Map([
  ['/metrics', async ({ expose, contentType }) => ({ contentType, text: await expose() })],
  [
    '/health/ready',
    async ({ readiness }) => {
      const { ready, checks } = await readiness();
      return {
        status: ready ? 200 : 503,
        contentType: 'application/json; charset=utf-8',
        text: JSON.stringify({ status: ready ? 'ready' : 'unavailable', checks }),
      };
    },
  ],
]);

/**
 * Serves `GET /metrics`, and `GET /health/ready` with its checks, without a key on a separate port. Resolves with
 * undefined without METRICS_PORT.
 * @throws CannotListen
 */
export async function listenForMetrics({
  metricsPort,
  metricsHost,
}: Pick<Config, 'metricsPort' | 'metricsHost'>): Promise<MetricsListener | undefined> {
  if (metricsPort === undefined) return undefined;
  let source: MetricsSource | undefined;

  const answer: RequestListener = ({ method, url, headers }, res) => {
    const serve = SERVED.get(url?.split('?', 1)[0] ?? '');
    if (!isSafeHost(headers.host, metricsHost)) send(res, 421, 'Ask for 127.0.0.1 or localhost.\n');
    else if (serve === undefined)
      send(res, 404, 'The metrics are at /metrics, and the checks at /health/ready.\n');
    else if (method !== 'GET' && method !== 'HEAD')
      send(res, 405, 'Only GET and HEAD.\n', { Allow: 'GET, HEAD' });
    else if (source === undefined) send(res, 503, 'The gateway is starting.\n');
    else
      serve(source).then(
        ({ status = 200, contentType, text }) => send(res, status, text, { 'Content-Type': contentType }),
        (error: unknown) => send(res, 503, `${(error as Error).message}\n`),
      );
  };
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CannotListen(metricsHost, metricsPort, 'METRICS_PORT or METRICS_HOST', error)),
    );
    server.listen(metricsPort, metricsHost, resolve);
  });
  return {
    begin: (given) => void (source = given),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Prevents DNS rebinding: a web page must not read a listener on the loopback through a host name of its own that
 * resolves to the loopback address.
 */
function isSafeHost(host: string | undefined, metricsHost: string): boolean {
  return !isLoopback(metricsHost) || isLoopback(hostOfHeader(host ?? '') ?? '');
}

function send(res: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  res.end(body);
}
