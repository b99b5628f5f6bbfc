import { SpanKind, trace, type Attributes, type Span, type Tracer } from '@opentelemetry/api';
import { othersOf } from './carrier.js';
import { recordedContext } from './contexts.js';

/**
 * Starts the span of a database command, or returns undefined if no request waits for the command. If several requests
 * share the command, its span is in the trace of the first of them, with links to the others, and they have links to
 * it.
 */
export function startCommand(tracer: Tracer, name: string, attributes: Attributes): Span | undefined {
  const context = recordedContext();
  if (context === undefined) return undefined;
  const others = othersOf(context).flatMap((other) => trace.getSpan(other) ?? []);
  const links = others.map((other) => ({ context: other.spanContext() }));
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, links }, context);
  for (const other of others) other.addLink({ context: span.spanContext() });
  return span;
}
