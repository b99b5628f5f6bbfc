import { SpanKind, type Tracer } from '@opentelemetry/api';
import type { Limiter } from '../../features/limiter/limiter.js';
import { inSpan } from './contexts.js';

type Call = (...args: unknown[]) => Promise<unknown>;

const INTERNAL = { kind: SpanKind.INTERNAL };

/** Returns the same store, with a span for each call, such as `pets.list`. All its methods must be asynchronous. */
export function storeSpans<Store extends object>(tracer: Tracer, name: string, store: Store): Store {
  const traced = Object.entries(store).map(([operation, call]: [string, Call]) => [
    operation,
    (...args: unknown[]) => inSpan(tracer, `${name}.${operation}`, INTERNAL, () => call.apply(store, args)),
  ]);
  return Object.fromEntries(traced) as Store;
}

/**
 * Returns the same limiter, with spans for its calls: how long a request waits for its charge, whether or not the
 * charge asks the quota store.
 */
export function chargeSpans<L extends Limiter>(tracer: Tracer, limiter: L): L {
  return {
    ...limiter,
    charge: (meter, cost, givenUp) =>
      inSpan(
        tracer,
        'quota.charge',
        { ...INTERNAL, attributes: { 'pets_gateway.cost': cost } },
        () => limiter.charge(meter, cost, givenUp),
        (span, { admitted }) => span.setAttribute('pets_gateway.admitted', admitted),
      ),
    foresee: (meter, cost) => inSpan(tracer, 'quota.foresee', INTERNAL, () => limiter.foresee(meter, cost)),
    peek: (meter) => inSpan(tracer, 'quota.peek', INTERNAL, () => limiter.peek(meter)),
    peekMany: (meters) => inSpan(tracer, 'quota.peekMany', INTERNAL, () => limiter.peekMany(meters)),
  };
}
