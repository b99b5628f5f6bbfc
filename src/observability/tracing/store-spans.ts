import { SpanKind, type Tracer } from '@opentelemetry/api';
import type { Limiter } from '../../features/limiter/limiter.js';
import { observed } from '../../lib/observed.js';
import { inSpan } from './contexts.js';

const INTERNAL = { kind: SpanKind.INTERNAL };

/** Returns the same store, with a span for each call, such as `pets.list`. All its methods must be asynchronous. */
export function storeSpans<Store extends object>(tracer: Tracer, name: string, store: Store): Store {
  return observed(store, (operation, run) =>
    inSpan(tracer, `${name}.${operation}`, INTERNAL, run as () => Promise<unknown>),
  );
}

/**
 * Returns the same limiter, with spans for its calls: how long a request waits for its charge, whether or not the
 * charge asks the quota store.
 */
export function chargeSpans<L extends Limiter>(tracer: Tracer, limiter: L): L {
  return {
    ...limiter,
    charge: (meter, cost) =>
      inSpan(
        tracer,
        'quota.charge',
        { ...INTERNAL, attributes: { 'pets_gateway.cost': cost } },
        () => limiter.charge(meter, cost),
        (span, { admitted }) => span.setAttribute('pets_gateway.admitted', admitted),
      ),
    foresee: (meter, cost) => inSpan(tracer, 'quota.foresee', INTERNAL, () => limiter.foresee(meter, cost)),
    peek: (meter) => inSpan(tracer, 'quota.peek', INTERNAL, () => limiter.peek(meter)),
    peekMany: (meters) => inSpan(tracer, 'quota.peekMany', INTERNAL, () => limiter.peekMany(meters)),
  };
}
