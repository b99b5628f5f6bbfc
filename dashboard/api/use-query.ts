import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, isSessionChanged, noAnswer } from './api-failure.js';
import type { Document } from './document.js';
import { isAbort } from './send.js';
import { useGraphql } from './session-context.js';

export interface QueryOptions<Result> {
  /** Returns the time until the next request, milliseconds, depending on the result; undefined for never. */
  pollAfterMs?: (result: Result) => number | undefined;
}

export interface Query<Result> {
  /** The latest result. It is kept during the next request, and if that request fails. */
  result: Result | undefined;
  failure: ApiFailure | undefined;
  isLoading: boolean;
  /** Whether the result belongs to other variables than the current ones. */
  isStale: boolean;
  /** Resolves when the response has arrived. */
  refetch: () => Promise<void>;
  /** Changes the result without another request, for example after a mutation whose response has the new row. */
  patch: (change: (result: Result) => Result) => void;
}

interface State<Result> {
  result?: Result;
  /** The variables of the result. */
  variablesText?: string;
  failure?: ApiFailure | undefined;
  isLoading: boolean;
}

const LONGEST_WAIT_MS = 60_000;

/**
 * Runs a query when the page opens, when the variables change, and after `pollAfterMs` while the page is visible. After
 * each failure it waits twice as long, up to LONGEST_WAIT_MS, and at least as long as the response's Retry-After says.
 */
export function useQuery<Result, Variables extends object>(
  document: Document<Result, Variables>,
  variables: Variables,
  { pollAfterMs }: QueryOptions<Result> = {},
): Query<Result> {
  const run = useGraphql();
  const [state, setState] = useState<State<Result>>({ isLoading: true });
  const latest = useRef<AbortController>(null);
  const failures = useRef(0);
  const variablesText = JSON.stringify(variables);

  const refetch = useCallback(async () => {
    latest.current?.abort();
    const { signal } = (latest.current = new AbortController());
    setState((before) => ({ ...before, isLoading: true }));
    try {
      const result = await run(document, JSON.parse(variablesText) as Variables, signal);
      failures.current = 0;
      setState({ result, variablesText, isLoading: false });
    } catch (error) {
      // The new session brings another `run`, which starts the query again.
      if (isAbort(error) || isSessionChanged(error)) return;
      failures.current += 1;
      const failure = error instanceof ApiFailure ? error : noAnswer();
      setState((before) => ({ ...before, failure, isLoading: false }));
    }
  }, [run, document, variablesText]);

  const patch = useCallback(
    (change: (result: Result) => Result) =>
      setState((before) =>
        before.result === undefined ? before : { ...before, result: change(before.result) },
      ),
    [],
  );

  useEffect(() => {
    void refetch();
    return () => latest.current?.abort();
  }, [refetch]);

  const { result, failure, isLoading } = state;
  const pollMs = result === undefined ? undefined : pollAfterMs?.(result);
  useEffect(() => {
    if (pollMs === undefined || isLoading) return undefined;
    const waitMs = Math.min(pollMs * 2 ** failures.current, LONGEST_WAIT_MS);
    return whenSeenAfter(Math.max(waitMs, (failure?.retryAfterSeconds ?? 0) * 1000), () => void refetch());
  }, [pollMs, isLoading, failure, refetch]);

  const isStale = result !== undefined && state.variablesText !== variablesText;
  return { result, failure, isLoading, isStale, refetch, patch };
}

/**
 * Calls `run` after `waitMs`, or when the page is next visible after that. Returns a function that cancels the call.
 */
function whenSeenAfter(waitMs: number, run: () => void): () => void {
  const runOnceSeen = () => {
    if (document.visibilityState === 'hidden') return;
    document.removeEventListener('visibilitychange', runOnceSeen);
    run();
  };
  const timer = setTimeout(() => {
    document.addEventListener('visibilitychange', runOnceSeen);
    runOnceSeen();
  }, waitMs);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', runOnceSeen);
  };
}
