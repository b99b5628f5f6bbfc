import type { Config } from '../../config/config.js';
import type { Logger } from '../../lib/logger.js';
import { NO_TRACING, type Tracing } from './tracing.js';

/** Starts to export traces over OTLP if it is configured. Otherwise nothing of OpenTelemetry's SDK is loaded. */
export async function startTracing(
  { otlp, environment, adminApiKey }: Pick<Config, 'otlp' | 'environment' | 'adminApiKey'>,
  log: Logger,
): Promise<Tracing> {
  if (otlp === undefined) return NO_TRACING;
  const { exportTraces } = await import('./export-traces.js');
  return exportTraces({ ...otlp, environment, adminApiKey }, log);
}

/** Returns the reason why an export would fail, or undefined if the collector accepts it. */
export async function tryTracing(otlp: NonNullable<Config['otlp']>): Promise<string | undefined> {
  const { tryExport } = await import('./export-traces.js');
  return tryExport(otlp.timeoutMs);
}
