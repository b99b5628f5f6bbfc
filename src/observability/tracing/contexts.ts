import { AsyncLocalStorage } from 'node:async_hooks';
import { trace, type Context, type Span, type SpanOptions, type Tracer } from '@opentelemetry/api';
import { markFailed } from './mark-failed.js';

const contexts = new AsyncLocalStorage<Context>();

export function within<T>(context: Context, run: () => T): T {
  return contexts.run(context, run);
}

/** Where a span of what is being done now belongs. Undefined: beside requests, after their end, or not sampled. */
export function recordedContext(): Context | undefined {
  const context = currentContext();
  return context !== undefined && trace.getSpan(context)?.isRecording() === true ? context : undefined;
}

export function currentContext(): Context | undefined {
  return contexts.getStore();
}

/** Runs it as a span, unless nobody would record that. `ended` is told what came of it, before the span ends. */
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
