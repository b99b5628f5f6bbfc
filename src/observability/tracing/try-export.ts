import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';

/**
 * Sends an empty export the way that spans are sent. Resolves to undefined if the collector accepts it, otherwise to
 * the reason.
 */
export async function tryExport(timeoutMs: number): Promise<string | undefined> {
  const exporter = new OTLPTraceExporter({ timeoutMillis: timeoutMs });
  try {
    const { code, error } = await new Promise<ExportResult>((resolve) => exporter.export([], resolve));
    return code === ExportResultCode.SUCCESS ? undefined : reasonOf(error);
  } finally {
    await exporter.shutdown();
  }
}

/** The code of an exporter's error is the HTTP status of the response. */
function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  if (error === undefined) return 'no reason is told';
  return typeof error.code === 'number' ? `${error.code} ${error.message}` : error.message;
}
