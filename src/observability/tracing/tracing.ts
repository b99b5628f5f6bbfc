import type { RequestHandler } from 'express';
import type { ApiKeysStore } from '../../features/keys/api-keys-store.js';
import type { FinishedRequest } from '../../http/steps/finished-request.js';
import type { PetsStore } from '../../features/pets/pets-store.js';
import type { Limiter } from '../../features/limiter/limiter.js';
import type { MongoCommands } from './mongo-commands.js';

/** The parts of a GraphQL operation that its span contains. */
export interface TracedOperation {
  /** Undefined for a document without an operation to execute. */
  operation: { operation: string } | undefined;
  name: string;
  cost: number;
}

/** The parts of the response to an operation that its span contains. */
export interface TracedAnswer {
  errors?: readonly { extensions?: Readonly<Record<string, unknown>> }[] | undefined;
}

export type Execute<Operation extends TracedOperation, Context, Result extends TracedAnswer> = (
  operation: Operation,
  context: Context,
) => Promise<Result>;

/** Records traces of requests. With NO_TRACING, each of these functions does nothing. */
export interface Tracing {
  /** The step that starts the span of a request. */
  beginRequest: readonly RequestHandler[];
  /** Ends that span. */
  endRequest: (request: FinishedRequest) => void;
  /**
   * Returns the same step, and restores the request's own trace after it: the end of another request may have given
   * this one its turn.
   */
  resuming: (step: RequestHandler) => RequestHandler;
  execution: <Operation extends TracedOperation, Context, Result extends TracedAnswer>(
    run: Execute<Operation, Context, Result>,
  ) => Execute<Operation, Context, Result>;
  pets: (store: PetsStore) => PetsStore;
  keys: (store: ApiKeysStore) => ApiKeysStore;
  limiter: <L extends Limiter>(limiter: L) => L;
  /** Records spans of the commands of this client, which must have been created with `monitorCommands`. */
  mongo: (commands: MongoCommands) => void;
  /** Exports the remaining spans, for at most the duration of one export. */
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
