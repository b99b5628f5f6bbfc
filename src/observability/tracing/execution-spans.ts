import { SpanKind, type Span, type Tracer } from '@opentelemetry/api';
import { fail, inSpan } from './contexts.js';
import type { Execute, TracedAnswer, TracedOperation } from './tracing.js';

/**
 * Makes a span of each operation, named by its type and the name under which it is counted: its root field. The names
 * that clients give to operations are unbounded, and the document may contain values, so spans contain neither.
 */
export function executionSpans<Operation extends TracedOperation, Context, Result extends TracedAnswer>(
  tracer: Tracer,
  execute: Execute<Operation, Context, Result>,
): Execute<Operation, Context, Result> {
  return (prepared, context) => {
    const type = prepared.operation?.operation;
    const attributes = {
      ...(type !== undefined && { 'graphql.operation.type': type }),
      'pets_gateway.operation': prepared.name,
      'pets_gateway.cost': prepared.cost,
    };
    return inSpan(
      tracer,
      type === undefined ? 'GraphQL Operation' : `${type} ${prepared.name}`,
      { kind: SpanKind.INTERNAL, attributes },
      () => execute(prepared, context),
      markErrors,
    );
  };
}

function markErrors(span: Span, { errors = [] }: TracedAnswer): void {
  if (errors.length === 0) return;
  const codes = new Set(errors.map(({ extensions }) => String(extensions?.['code'])));
  span.setAttribute('pets_gateway.error_codes', [...codes]);
  const failed = errors.find(({ extensions }) => Number(extensions?.['status']) >= 500);
  if (failed !== undefined) fail(span, String(failed.extensions?.['code']));
}
