import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../../lib/logger.js';

/** Returns the same exporter. Logs one line when exports start to fail, and one when they succeed again. */
export function logLosses(exporter: SpanExporter, log: Logger): SpanExporter {
  let lostSpans = 0;

  function note({ code, error }: ExportResult, spans: number): void {
    if (code === ExportResultCode.SUCCESS) {
      if (lostSpans > 0) log.info({ lostSpans }, 'traces are exported again');
      lostSpans = 0;
      return;
    }
    if (lostSpans === 0)
      log.warn({ reason: reasonOf(error) }, 'traces cannot be exported; requests are served without them');
    lostSpans += spans;
  }

  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        note(result, spans.length);
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

/** If several addresses failed, Node's error has no message. If the collector answered, the code is its HTTP status. */
function reasonOf(error: (Error & { code?: string | number }) | undefined): string {
  const { code = '', message = '' } = error ?? {};
  return message.includes(String(code)) ? message : `${code} ${message}`.trim();
}
