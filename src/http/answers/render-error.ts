import type { ErrorRequestHandler, Response } from 'express';
import type { Clock } from '../../lib/clock.js';
import type { ApiError } from '../../lib/errors.js';
import { exactJson, hasBigInt } from '../../lib/exact-json.js';
import type { Logger } from '../../lib/logger.js';
import type { ClientLimiter } from '../../features/limiter/client-limiter.js';
import type { QuotasService } from '../../features/quotas/quotas-service.js';
import { toApiError } from './api-error-of.js';
import { docUrlOf } from './doc-url.js';
import { endWith } from './end-with.js';
import { OVERLOADED } from '../load/overloaded.js';
import { requestContextOf, type RequestContext } from '../steps/request-context.js';
import { shareOf } from '../steps/browser-key.js';
import { setAnonymousHeaders, setDashboardHeaders, setQuotaHeaders } from './rate-limit-headers.js';

export interface RenderErrorParts {
  quotas: QuotasService;
  anonymous: ClientLimiter;
  browserShares: ClientLimiter;
  dashboardRequests: ClientLimiter;
  clock: Clock;
  log: Logger;
}

/**
 * The body of an error response: the Error object of the specification, with the additions `requestId`, `docUrl`,
 * `details`, and `retryAfterSeconds` where the response has `Retry-After`.
 */
export function errorBody(
  { code, message, status, details, retryAfterSeconds }: ApiError,
  { requestId, gatewayUrl }: Pick<RequestContext, 'requestId' | 'gatewayUrl'>,
): string {
  const docUrl = docUrlOf(code, gatewayUrl);
  const body = { code, message, status, requestId, docUrl, retryAfterSeconds, details };
  return hasBigInt(details) ? exactJson(body) : JSON.stringify(body);
}

function restError(error: ApiError, context: RequestContext) {
  return { contentType: 'application/json', body: errorBody(error, context) };
}

/**
 * Renders a thrown value as the Error object. Errors with a 5xx status are logged; unknown values are masked as
 * `internal_error`.
 */
export function renderError(parts: RenderErrorParts): ErrorRequestHandler {
  const { quotas, anonymous, dashboardRequests, clock, log } = parts;

  /** Sets the rate limit headers of a response that is sent before the charge. */
  async function rateHeaders(res: Response, { caller, client, isBySession }: RequestContext) {
    if (caller !== undefined && isBySession === true) {
      setDashboardHeaders(res, dashboardRequests.peek(caller.key.id), clock());
      return;
    }
    const state = caller && (await quotas.state(caller).catch(() => undefined));
    if (state !== undefined) setQuotaHeaders(res, state, clock(), shareOf(res, parts));
    else setAnonymousHeaders(res, anonymous.peek(client), clock());
  }

  return async (thrown: unknown, req, res, next) => {
    if (res.headersSent) {
      next(thrown);
      return;
    }
    const error = toApiError(thrown);
    const context = requestContextOf(res);
    if (error === OVERLOADED) {
      // A rejected request must cost little, so its error is not logged, and nothing is read from a store for it.
      setAnonymousHeaders(res, anonymous.peek(context.client), clock());
      sendError(res, error);
      return;
    }
    if (error.status >= 500)
      log.error(
        { err: error.cause ?? error, requestId: context.requestId, method: req.method },
        error.message,
      );
    if (!res.hasHeader('X-RateLimit-Limit')) await rateHeaders(res, context);
    sendError(res, error);
  };
}

/** Sends the error in the form of its interface. Expects the rate limit headers to be set. */
export function sendError(res: Response, error: ApiError): void {
  const context = requestContextOf(res);
  const { renderError = restError } = context;
  if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', error.retryAfterSeconds);
  context.error = error;
  if (error.status === 429) res.setHeader('Cache-Control', 'no-store');
  // The body was not read to its end, so no other request can follow on this connection.
  if (error.status === 413) res.setHeader('Connection', 'close');
  const { contentType, body } = renderError(error, context);
  res.setHeader('Content-Type', contentType);
  res.statusCode = error.status;
  endWith(res, body);
}
