import type { Config } from '../../config/config.js';
import { REQUEST_LINE, type Logger } from '../../lib/logger.js';
import type { FinishedRequest } from './finished-request.js';
import { loggedAddress } from '../../lib/logged-address.js';
import { showPath } from './shown-path.js';

export interface LogRequestParts {
  log: Logger;
  config: Pick<Config, 'requestLog' | 'adminApiKey'>;
}

/** Requests that take longer, in milliseconds, are always logged. */
const SLOW_MS = 1000;

/**
 * Returns a function that logs a line for each finished request, or for the configured share of them. Failed (5xx) and
 * slow requests are always logged.
 */
export function logRequest({ log, config }: LogRequestParts): (request: FinishedRequest) => void {
  const { share, addresses } = config.requestLog;
  const shown = showPath(config.adminApiKey);
  // Searching for fields to redact takes three times as long as the line itself, and the gateway sets all fields of
  // these lines.
  const lines = log.child({}, { redact: [] });
  return (request) => {
    const { status, durationMs, place } = request;
    const hasFailed = status >= 500;
    const level = hasFailed ? 'warn' : place === 'health' || place === 'metrics' ? 'debug' : 'info';
    if (!lines.isLevelEnabled(level)) return;
    if (!hasFailed && durationMs < SLOW_MS && Math.random() >= share) return;
    const {
      requestId,
      method,
      path,
      interface: apiInterface,
      operation,
      caller,
      isBySession,
      cost,
      error,
      client,
      trace,
    } = request;
    lines[level](
      {
        requestId,
        method,
        path: shown(path),
        status,
        durationMs: Math.round(durationMs * 100) / 100,
        interface: place ?? apiInterface,
        operation,
        keyId: caller?.key.id,
        projectId: caller?.project?.id,
        plan: caller?.project?.plan,
        bySession: isBySession || undefined,
        cost,
        code: error?.code,
        client: loggedAddress(client, addresses),
        ...trace,
      },
      REQUEST_LINE,
    );
  };
}
