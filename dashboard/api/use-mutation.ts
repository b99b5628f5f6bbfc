import { useCallback, useState } from 'preact/hooks';
import { ApiFailure, noAnswer } from './api-failure.js';
import type { Document } from './document.js';
import { useGraphql } from './session-context.js';

export interface Mutation<Result, Variables extends object> {
  /** Resolves to undefined if the mutation failed: see `failure`. */
  run: (variables: Variables) => Promise<Result | undefined>;
  failure: ApiFailure | undefined;
  isRunning: boolean;
  /** Clears the failure, for example when its dialog opens again. */
  clear: () => void;
}

export function useMutation<Result, Variables extends object>(
  document: Document<Result, Variables>,
): Mutation<Result, Variables> {
  const send = useGraphql();
  const [failure, setFailure] = useState<ApiFailure>();
  const [isRunning, setRunning] = useState(false);

  const run = useCallback(
    async (variables: Variables) => {
      setRunning(true);
      setFailure(undefined);
      try {
        return await send(document, variables);
      } catch (error) {
        setFailure(error instanceof ApiFailure ? error : noAnswer());
        return undefined;
      } finally {
        setRunning(false);
      }
    },
    [send, document],
  );
  const clear = useCallback(() => setFailure(undefined), []);
  return { run, failure, isRunning, clear };
}
