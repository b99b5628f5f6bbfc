import type { OperationDefinitionNode } from 'graphql';
import { createBatcher } from '../../lib/batcher.js';
import type { Clock } from '../../lib/clock.js';
import type { Prepared } from './prepare.js';
import { audienceOf } from './audience.js';
import type { GraphQLContext } from './schema/context.js';
import { variablesKeyOf } from './variables-key.js';

/** Executes an operation. The result may depend on the caller only as `audienceOf` says. */
type Run<Result> = (prepared: Prepared, context: GraphQLContext) => Promise<Result>;

interface Asked {
  prepared: Prepared;
  context: GraphQLContext;
}

interface Flight<Result> {
  ask: (asked: Asked) => Promise<Result>;
  /** The requests that have no result yet. */
  waiting: number;
}

/** Another request does not make the execution larger, and this many requests cannot wait at once. */
const MAX_REQUESTS = 10_000;

/**
 * Returns `run`, executed once for all equal operations that arrive before it begins: the same document, operation,
 * variables and audience. Operations that arrive while it runs share the next execution, so each still sees every create that was
 * acknowledged before its request began. All of them get the same result object.
 */
export function shareReads<Result>(run: Run<Result>, clock: Clock): Run<Result> {
  /** A document stays the same object while it is in use. */
  const flights = new WeakMap<OperationDefinitionNode, Map<string, Flight<Result>>>();

  function createFlight(): Flight<Result> {
    const ask = createBatcher<Asked, Result>(
      {
        async send(requests) {
          const [first] = requests;
          if (first === undefined) return [];
          const result = await run(first.prepared, first.context);
          return requests.map(() => result);
        },
        sizeOf: () => 1,
        maxSize: MAX_REQUESTS,
        gathersTick: true,
      },
      clock,
    );
    return { ask, waiting: 0 };
  }

  return async (prepared, context) => {
    const { operation, request } = prepared;
    if (operation === undefined) return run(prepared, context);
    let byVariables = flights.get(operation);
    if (byVariables === undefined) flights.set(operation, (byVariables = new Map<string, Flight<Result>>()));
    const key = `${audienceOf(prepared, context)} ${variablesKeyOf(operation, request.variables)}`;
    let flight = byVariables.get(key);
    if (flight === undefined) byVariables.set(key, (flight = createFlight()));
    flight.waiting += 1;
    try {
      return await flight.ask({ prepared, context });
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) byVariables.delete(key);
    }
  };
}
