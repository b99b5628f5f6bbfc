import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../features/keys/caller.js';
import type { Recorder } from '../../features/usage/recorder.js';
import type { ClientLimiter } from '../../features/limiter/client-limiter.js';
import { asUnauthenticated, setChallenge, type UnauthenticatedParts } from '../../http/steps/authenticate.js';
import { chargeSession } from '../../http/steps/enforce-quota.js';
import { otherMethods } from '../../http/steps/other-methods.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import { ApiError } from '../../lib/errors.js';

export interface AnswerParts extends UnauthenticatedParts {
  dashboardRequests: ClientLimiter;
  recorder: Pick<Recorder, 'noteUse'>;
}

type Answer<Parts> = (req: Request, res: Response, parts: Parts) => Promise<void>;

/**
 * Answers the requests for a path by their methods. No browser keeps a response. Denied clients count as clients
 * without a key, and their response says how to authenticate.
 */
export function answerMethods<Parts extends AnswerParts>(
  answers: Readonly<Record<string, Answer<Parts>>>,
  parts: Parts,
): RequestHandler {
  const answerOtherMethod = otherMethods([...Object.keys(answers), 'OPTIONS'].join(', '));
  return async (req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    try {
      const answer = answers[req.method];
      await (answer === undefined ? answerOtherMethod(req, res, next) : answer(req, res, parts));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      // Nothing has been counted yet, and every denied client is counted.
      if (!res.hasHeader('X-RateLimit-Limit')) throw asUnauthenticated(res, error, parts);
      setChallenge(res, error);
      throw error;
    }
  };
}

/** Charges the limit of the key's sessions 1. @throws ApiError rate_limit_exceeded */
export function admit(res: Response, caller: Caller, parts: AnswerParts): void {
  Object.assign(requestContextOf(res), { caller, isBySession: true });
  parts.recorder.noteUse(caller.key.id, parts.clock());
  chargeSession(res, 1, parts);
}

export function notSignedIn(): ApiError {
  return new ApiError(
    'missing_api_key',
    'You are not signed in. Sign in with a staff key, an owner key or an admin key.',
  );
}
