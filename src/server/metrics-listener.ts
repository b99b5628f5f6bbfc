import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Config } from '../config/config.js';
import { hostOfHeader } from '../lib/host-name.js';
import { isLoopback } from '../lib/loopback.js';
import type { Metrics } from '../observability/metrics/metrics.js';
import { CannotListen } from './listener.js';

export interface MetricsListener {
  /** Starts to serve metrics. Before this call, requests get 503. */
  begin(metrics: Pick<Metrics, 'expose' | 'contentType'>): void;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` without a key, on a separate port. Resolves with undefined without METRICS_PORT.
 * @throws CannotListen
 */
export async function listenForMetrics({
  metricsPort,
  metricsHost,
}: Pick<Config, 'metricsPort' | 'metricsHost'>): Promise<MetricsListener | undefined> {
  if (metricsPort === undefined) return undefined;
  let metrics: Pick<Metrics, 'expose' | 'contentType'> | undefined;

  const answer: RequestListener = ({ method, url, headers }, res) => {
    if (!isSafeHost(headers.host, metricsHost)) send(res, 421, 'Ask for 127.0.0.1 or localhost.\n');
    else if (url?.split('?', 1)[0] !== '/metrics') send(res, 404, 'The metrics are at /metrics.\n');
    else if (method !== 'GET' && method !== 'HEAD')
      send(res, 405, 'Only GET and HEAD.\n', { Allow: 'GET, HEAD' });
    else if (metrics === undefined) send(res, 503, 'The gateway is starting.\n');
    else {
      const { contentType } = metrics;
      metrics.expose().then(
        (text) => send(res, 200, text, { 'Content-Type': contentType }),
        (error: unknown) => send(res, 503, `${(error as Error).message}\n`),
      );
    }
  };
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CannotListen(metricsHost, metricsPort, 'METRICS_PORT or METRICS_HOST', error)),
    );
    server.listen(metricsPort, metricsHost, resolve);
  });
  return {
    begin: (source) => void (metrics = source),
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
