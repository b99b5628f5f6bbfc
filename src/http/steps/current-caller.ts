import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { CallerChecks } from '../../features/keys/caller-checks.js';
import type { Caller } from '../../features/keys/caller.js';
import type { Awaitable } from '../../lib/awaitable.js';
import { ApiError } from '../../lib/errors.js';
import { inTime } from '../../lib/in-time.js';
import { resultOf } from '../../lib/result-of.js';
import { asUnauthenticated, type UnauthenticatedParts } from './authenticate.js';
import { compose } from './compose.js';
import { onHandedOver } from './on-finished.js';
import { callerOf, requestContextOf } from './request-context.js';

export interface CallerParts extends UnauthenticatedParts {
  callerChecks: Pick<CallerChecks, 'current'>;
}

/** How often the callers of waiting requests are checked again, milliseconds. */
const CHECK_MS = 100;

/**
 * Checks again, after a wait, that the request's key or session is valid, and updates the caller to its current state.
 * Returns the caller. Waits only for what `CallerChecks.current` asks a store.
 * @throws ApiError 401 or 429 as `authenticate`; service_unavailable
 */
export function requireCaller(res: Response, parts: CallerParts): Awaitable<Caller> {
  const before = callerOf(res);
  const set = (caller: Caller) => (requestContextOf(res).caller = caller);
  try {
    const caller = parts.callerChecks.current(before);
    if (!(caller instanceof Promise)) return set(caller);
    return inTime(caller).then(set, (error: unknown) => {
      throw deniedNow(res, error, parts);
    });
  } catch (error) {
    throw deniedNow(res, error, parts);
  }
}

/** From now on, the request counts as that of an unauthenticated client, as if its key had never been valid. */
function deniedNow(res: Response, error: unknown, parts: CallerParts): unknown {
  if (!isDenial(error)) return error;
  const context = requestContextOf(res);
  delete context.caller;
  delete context.isBySession;
  return asUnauthenticated(res, error, parts);
}

function isDenial(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500;
}

/** Ends requests whose key or session stops being valid while they wait for their turn or their body. */
export interface WaitingCallers {
  /**
   * Calls `end` with the error, once, as soon as the request's key or session is no longer valid. The rate limit headers
   * are set, and the connection closes after the response, because the rest of the body stays unread. Returns a function
   * that stops watching.
   */
  watch(req: Request, res: Response, end: (error: unknown) => void): () => void;
  /**
   * Returns the same step, for a step that may wait. If it has waited, the caller is checked again after it. If the key
   * or its project has changed meanwhile, the steps `again` run once more: those that decide by the key and its project.
   */
  during(step: RequestHandler, ...again: readonly RequestHandler[]): RequestHandler;
}

interface Waiting {
  req: Request;
  res: Response;
  end: (error: unknown) => void;
  isBeingChecked: boolean;
  /** Its end is noticed. */
  isFollowed: boolean;
}

/**
 * Looks at each waiting request ten times a second. That costs a look into the key cache; for requests of dashboard
 * sessions, all together cost a query. A body that arrives at once costs no more than a place in a set.
 */
export function createWaitingCallers(parts: CallerParts): WaitingCallers {
  const waiting = new Set<Waiting>();
  let checks: NodeJS.Timeout | undefined;

  function checkAll(): void {
    for (const one of waiting) if (!one.isBeingChecked) void check(one);
    if (waiting.size > 0) return;
    clearInterval(checks);
    checks = undefined;
  }

  async function check(one: Waiting): Promise<void> {
    const { req, res } = one;
    if (!one.isFollowed) {
      one.isFollowed = true;
      onHandedOver(req, res, () => waiting.delete(one));
    }
    const { caller } = requestContextOf(res);
    if (caller === undefined || !waiting.has(one)) return;
    one.isBeingChecked = true;
    try {
      await parts.callerChecks.current(caller);
    } catch (error) {
      // A store that does not respond decides nothing: the request is checked again when it goes on.
      if (!isDenial(error) || !waiting.delete(one)) return;
      res.setHeader('Connection', 'close');
      one.end(deniedNow(res, error, parts));
    } finally {
      one.isBeingChecked = false;
    }
  }

  function watch(req: Request, res: Response, end: (error: unknown) => void): () => void {
    const one = { req, res, end, isBeingChecked: false, isFollowed: false };
    waiting.add(one);
    checks ??= setInterval(checkAll, CHECK_MS).unref();
    return () => void waiting.delete(one);
  }

  return {
    watch,
    during(step, ...again) {
      const decideAgain = compose(...again);
      return (req, res, next) => {
        let isOver = false as boolean;
        let stop: (() => void) | undefined;
        const end = (error: unknown) => {
          isOver = true;
          next(error);
        };
        const proceed = (before: Caller, { key, project }: Caller) => {
          if (key === before.key && project === before.project) next();
          else decideAgain(req, res, next);
        };
        const passed: NextFunction = (error?: unknown) => {
          const hasWaited = stop !== undefined;
          stop?.();
          if (isOver) return;
          isOver = true;
          if (error !== undefined || !hasWaited) {
            next(error);
            return;
          }
          const before = callerOf(res);
          const current = resultOf(() => requireCaller(res, parts));
          if (current instanceof ApiError) next(current);
          else if (current instanceof Promise) current.then((caller) => proceed(before, caller), next);
          else proceed(before, current);
        };
        step(req, res, passed);
        if (!isOver) stop = watch(req, res, end);
      };
    },
  };
}
