import { SpanStatusCode, type Span } from '@opentelemetry/api';

/** Which kind of error it was. Never its message: a database's errors repeat what they were about. */
export function markFailed(span: Span, error: unknown): void {
  fail(span, kindOf(error));
}

/** @param kind one of few */
export function fail(span: Span, kind: string): void {
  span.setAttribute('error.type', kind);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
