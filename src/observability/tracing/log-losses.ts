import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../../lib/logger.js';

/** The same exporter. One line when spans begin to be lost, and one when they arrive again. */
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

/** Of several addresses that were tried in vain, Node's error has no message; of an answer, the code is its status. */
function reasonOf(error: (Error & { code?: string | number }) | undefined): string {
  const { code = '', message = '' } = error ?? {};
  return message.includes(String(code)) ? message : `${code} ${message}`.trim();
}
