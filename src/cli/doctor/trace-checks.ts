import type { Config } from '../../config/config.js';
import { tryTracing } from '../../observability/tracing/start-tracing.js';
import { ok, warning, type Finding } from './finding.js';

/** Checks that the collector accepts traces. The gateway answers requests without the collector. */
export async function checkTraces({ otlp }: Config): Promise<Finding[]> {
  if (otlp === undefined) return [];
  const failure = await tryTracing(otlp);
  return [
    failure === undefined
      ? ok('traces', 'the collector takes them')
      : warning(
          'traces',
          `the collector does not take them: ${failure}`,
          'Look at OTEL_EXPORTER_OTLP_ENDPOINT, its headers and docs/tracing.md; requests are answered all the same.',
        ),
  ];
}
