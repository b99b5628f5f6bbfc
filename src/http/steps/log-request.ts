import type { Config } from '../../config/config.js';
import { REQUEST_LINE, type Logger } from '../../lib/logger.js';
import type { FinishedRequest } from './finished-request.js';
import { loggedAddress } from '../../lib/logged-address.js';
import { showPath } from './shown-path.js';

export interface LogRequestParts {
  log: Logger;
  config: Pick<Config, 'requestLog' | 'adminApiKey'>;
}

/** Logged whatever the share, milliseconds. */
const SLOW_MS = 1000;

/**
 * A line for each request that has ended, or for the share of them that the settings ask for; those that failed (5xx) or
 * took long have one in any case.
 */
export function logRequest({ log, config }: LogRequestParts): (request: FinishedRequest) => void {
  const { share, addresses } = config.requestLog;
  const shown = showPath(config.adminApiKey);
  // Looking for fields to hide takes three times as long as the line itself, and these are all ours.
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
