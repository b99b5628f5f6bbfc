import type { RequestHandler } from 'express';
import type { ApiKeysStore } from '../../features/keys/api-keys-store.js';
import type { FinishedRequest } from '../../http/steps/finished-request.js';
import type { PetsStore } from '../../features/pets/pets-store.js';
import type { Limiter } from '../../features/limiter/limiter.js';
import type { MongoCommands } from './mongo-commands.js';

/** What a span says of a GraphQL operation. */
export interface TracedOperation {
  /** Undefined for a document that has no operation to execute. */
  operation: { operation: string } | undefined;
  name: string;
  cost: number;
}

/** What a span says of the answer to an operation. */
export interface TracedAnswer {
  errors?: readonly { extensions?: Readonly<Record<string, unknown>> }[];
}

export type Execute<Server, Operation extends TracedOperation, Context, Result extends TracedAnswer> = (
  server: Server,
  operation: Operation,
  context: Context,
) => Promise<Result>;

/** Where a request's trace is told what happens. Without one each of these does nothing at all. */
export interface Tracing {
  /** The step with which the span of a request begins. */
  beginRequest: readonly RequestHandler[];
  /** The end of that span. */
  endRequest: (request: FinishedRequest) => void;
  /** The same step; what comes after it belongs to its request, also where another request's end was its turn. */
  resuming: (step: RequestHandler) => RequestHandler;
  execution: <Server, Operation extends TracedOperation, Context, Result extends TracedAnswer>(
    run: Execute<Server, Operation, Context, Result>,
  ) => Execute<Server, Operation, Context, Result>;
  pets: (store: PetsStore) => PetsStore;
  keys: (store: ApiKeysStore) => ApiKeysStore;
  limiter: <L extends Limiter>(limiter: L) => L;
  /** Spans of the commands of this client, which has to monitor them. */
  mongo: (commands: MongoCommands) => void;
  /** Exports what is left, as long as one export may take. */
  stop: () => Promise<void>;
}

export const NO_TRACING: Tracing = {
  beginRequest: [],
  endRequest: () => undefined,
  resuming: (step) => step,
  execution: (run) => run,
  pets: (store) => store,
  keys: (store) => store,
  limiter: (limiter) => limiter,
  mongo: () => undefined,
  stop: () => Promise.resolve(),
};
