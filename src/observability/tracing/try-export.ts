import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';

/** Sends no spans, in the way that spans are sent. Undefined: they were taken; or else why not. */
export async function tryExport(timeoutMs: number): Promise<string | undefined> {
  const exporter = new OTLPTraceExporter({ timeoutMillis: timeoutMs });
  try {
    const { code, error } = await new Promise<ExportResult>((resolve) => exporter.export([], resolve));
    return code === ExportResultCode.SUCCESS ? undefined : reasonOf(error);
  } finally {
    await exporter.shutdown();
  }
}

/** The exporter's errors have the status of an answer as their code. */
function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  if (error === undefined) return 'no reason is told';
  return typeof error.code === 'number' ? `${error.code} ${error.message}` : error.message;
}
