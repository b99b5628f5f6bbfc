import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, isSessionChanged, noAnswer } from './api-failure.js';
import type { Document } from './document.js';
import { isAbort } from './send.js';
import { useGraphql } from './session-context.js';

export interface QueryOptions<Result> {
  /** When to ask again, by what is known: milliseconds, or undefined for never. */
  pollAfterMs?: (result: Result) => number | undefined;
}

export interface Query<Result> {
  /** The latest answer; kept while asking again, and when that fails. */
  result: Result | undefined;
  failure: ApiFailure | undefined;
  isLoading: boolean;
  /** Whether the answer is to other variables than those asked with now. */
  isStale: boolean;
  /** Resolves once the answer is in. */
  refetch: () => Promise<void>;
}

interface State<Result> {
  result?: Result;
  /** The variables that the result answers. */
  variablesText?: string;
  failure?: ApiFailure | undefined;
  isLoading: boolean;
}

const LONGEST_WAIT_MS = 60_000;

/** Asks when the page opens, when the variables change, and as often as `pollAfterMs` says while the page is seen. */
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
      // The session that there is now brings another `run`, and that asks again.
      if (isAbort(error) || isSessionChanged(error)) return;
      failures.current += 1;
      const failure = error instanceof ApiFailure ? error : noAnswer();
      setState((before) => ({ ...before, failure, isLoading: false }));
    }
  }, [run, document, variablesText]);

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
  return { result, failure, isLoading, isStale, refetch };
}

/** Runs it after a while, or once the page is seen again after that. Answers what calls it off. */
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
