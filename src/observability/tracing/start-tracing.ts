import type { Config } from '../../config/config.js';
import type { Logger } from '../../lib/logger.js';
import { NO_TRACING, type Tracing } from './tracing.js';

/** Traces over OTLP where the settings ask for them. Without that, nothing of OpenTelemetry's SDK is loaded. */
export async function startTracing(
  { otlp, environment, adminApiKey }: Pick<Config, 'otlp' | 'environment' | 'adminApiKey'>,
  log: Logger,
): Promise<Tracing> {
  if (otlp === undefined) return NO_TRACING;
  const { exportTraces } = await import('./export-traces.js');
  return exportTraces({ ...otlp, environment, adminApiKey }, log);
}

/** Why an export would fail; undefined: the collector takes it. */
export async function tryTracing(otlp: NonNullable<Config['otlp']>): Promise<string | undefined> {
  const { tryExport } = await import('./try-export.js');
  return tryExport(otlp.timeoutMs);
}
