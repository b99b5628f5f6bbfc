import { SpanStatusCode, type Span } from '@opentelemetry/api';

/** Records the kind of the error, never its message: messages of databases repeat data. */
export function markFailed(span: Span, error: unknown): void {
  fail(span, kindOf(error));
}

/** @param kind one of a small set of values */
export function fail(span: Span, kind: string): void {
  span.setAttribute('error.type', kind);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
