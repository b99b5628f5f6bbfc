import { AsyncLocalStorage } from 'node:async_hooks';
import {
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { offWhileUnused } from '../../lib/off-while-unused.js';

const contexts = new AsyncLocalStorage<Context | undefined>();

/** To be called when a recorded request begins. Returns the function to call when it ends. */
export const beginRecorded = offWhileUnused(contexts);

/** @param context undefined for work that is not recorded: then nothing is, whatever was in progress before */
export function within<T>(context: Context | undefined, run: () => T): T {
  return context === undefined && contexts.getStore() === undefined ? run() : contexts.run(context, run);
}

/**
 * Returns the context for a span of the current work. Undefined outside requests, after their end, or if the request is
 * not sampled.
 */
export function recordedContext(): Context | undefined {
  const context = contexts.getStore();
  return context !== undefined && trace.getSpan(context)?.isRecording() === true ? context : undefined;
}

/** Runs `run` as a span, unless the span would not be recorded. Calls `ended` with the result before the span ends. */
export async function inSpan<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  run: () => Promise<T>,
  ended?: (span: Span, result: T) => void,
): Promise<T> {
  const parent = recordedContext();
  if (parent === undefined) return run();
  const span = tracer.startSpan(name, options, parent);
  try {
    const result = await within(trace.setSpan(parent, span), run);
    ended?.(span, result);
    return result;
  } catch (error) {
    markFailed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Records the kind of the error, never its message: messages of databases repeat data. */
function markFailed(span: Span, error: unknown): void {
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
