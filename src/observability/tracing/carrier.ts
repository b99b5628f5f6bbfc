import { createContextKey, type Context } from '@opentelemetry/api';
import type { TraceCarrier } from '../../lib/trace-context.js';
import { recordedContext, within } from './contexts.js';

const OTHERS = createContextKey('the requests that share this work with the one that it belongs to');

export const carrier: TraceCarrier = {
  current: recordedContext,
  share(waiting, run, of) {
    const [first, ...others] = waiting.flatMap(
      ({ trace: context }) => (context as Context | undefined) ?? [],
    );
    return within(others.length === 0 ? first : first?.setValue(OTHERS, others), () => run(waiting, of));
  },
};

/** Returns the contexts of the other requests that share the current work. */
export function othersOf(context: Context): readonly Context[] {
  return (context.getValue(OTHERS) as Context[] | undefined) ?? [];
}
