import type { Config } from '../../config/config.js';
import { REQUEST_LINE, type Logger } from '../../lib/logger.js';
import type { FinishedRequest } from './finished-request.js';
import { loggedAddress } from '../../lib/logged-address.js';
import { createRepeatLimit, describeRepeats } from '../../lib/repeat-limit.js';
import { showPath } from './shown-path.js';

export interface LogRequestParts {
  log: Logger;
  config: Pick<Config, 'requestLog' | 'adminApiKey'>;
}

/** Requests that take longer, in milliseconds, are logged beside the share. */
const SLOW_MS = 1000;

/**
 * Returns a function that logs a line for each finished request, or for the configured share of them. Of the other
 * requests, it logs the failed (5xx) and the slow ones: the first of each kind in a minute, and then their number.
 */
export function logRequest({ log, config }: LogRequestParts): (request: FinishedRequest) => void {
  const { share, addresses } = config.requestLog;
  const shown = showPath(config.adminApiKey);
  // Searching for fields to redact takes three times as long as the line itself, and the gateway sets all fields of
  // these lines.
  const lines = log.child({}, { redact: [] });
  const repeats = createRepeatLimit();
  return (request) => {
    const { status, durationMs, area } = request;
    const hasFailed = status >= 500;
    const level = hasFailed ? 'warn' : area === 'health' || area === 'metrics' ? 'debug' : 'info';
    if (!lines.isLevelEnabled(level)) return;
    const isInShare = lines.isLevelEnabled('info') && Math.random() < share;
    if (!isInShare && !hasFailed && durationMs < SLOW_MS) return;
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
    const code = error?.code;
    const kind = { status: hasFailed ? status : undefined, interface: area ?? apiInterface, code };
    const report = (repeated: number, seconds: number) =>
      lines[level](
        { ...kind, repeated },
        `${hasFailed ? 'failed' : 'slow'} requests (${describeRepeats(repeated, seconds)})`,
      );
    if (!isInShare && !repeats.admits(Object.values(kind).join(), report)) return;
    lines[level](
      {
        requestId,
        method,
        path: shown(path),
        status,
        durationMs: Math.round(durationMs * 100) / 100,
        interface: kind.interface,
        operation,
        keyId: caller?.key.id,
        projectId: caller?.project?.id,
        plan: caller?.project?.plan,
        bySession: isBySession || undefined,
        cost,
        code,
        client: loggedAddress(client, addresses),
        ...trace,
      },
      REQUEST_LINE,
    );
  };
}
