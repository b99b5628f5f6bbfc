/**
 * Why the CA did not do what it was asked, as it is stored and shown.
 * `rate_limited`, `unavailable`: the same again later can succeed. `caa`, `rejected`: only after something has changed.
 * `order_gone`: the CA does not know the order (any more). `account_gone`: it does not know the account.
 */
export interface AcmeFailure {
  kind: 'rate_limited' | 'caa' | 'rejected' | 'unavailable' | 'order_gone' | 'account_gone';
  /** The problem's type (RFC 8555, 6.7); `about:blank` where the CA named none, or did not answer at all. */
  type: string;
  /** The CA's words, or what went wrong on the way to it. */
  detail: string;
  /** What the CA asked for, however long that is. */
  retryAfterMs?: number;
}

/** What every call of a CA can end with. */
export class AcmeError extends Error {
  constructor(
    readonly failure: AcmeFailure,
    cause?: unknown,
  ) {
    super(`${failure.kind}: ${failure.detail} (${failure.type})`, { cause });
    this.name = 'AcmeError';
  }
}

/** A problem document (RFC 9457) as CAs fill it. */
export interface Problem {
  type?: string | undefined;
  detail?: string | undefined;
  subproblems?: readonly Problem[] | undefined;
}

export interface ProblemOrigin {
  /** HTTP status; absent for a problem within an order or a challenge. */
  status?: number;
  retryAfterMs?: number | undefined;
  /** Whether it answers the reading or changing of something that belongs to an order. */
  about?: 'order-read' | 'order-change';
}

export const NO_TYPE = 'about:blank';
const ERROR = 'urn:ietf:params:acme:error:';
export const BAD_NONCE = `${ERROR}badNonce`;
/** Of use to people, not to be stored without bound. */
const DETAIL_CHARACTERS = 1000;

/** What a problem means for whoever has to go on. */
export function failureOf(problem: Problem, origin: ProblemOrigin = {}): AcmeFailure {
  const leading = leadingProblem(problem);
  const type = leading.type ?? NO_TYPE;
  const detail = leading.detail ?? problem.detail ?? `HTTP ${origin.status ?? 'error'}`;
  return {
    kind: kindOf(type, origin),
    type,
    detail: detail.slice(0, DETAIL_CHARACTERS),
    ...(origin.retryAfterMs !== undefined && { retryAfterMs: origin.retryAfterMs }),
  };
}

/** A CAA refusal may hide under a `compound` problem (RFC 8555, 6.7.1); it is what people have to know. */
function leadingProblem(problem: Problem): Problem {
  const all = [problem, ...(problem.subproblems ?? [])];
  return all.find(({ type }) => type === `${ERROR}caa`) ?? problem;
}

function kindOf(type: string, { status = 0, about }: ProblemOrigin): AcmeFailure['kind'] {
  switch (type) {
    case `${ERROR}caa`:
      return 'caa';
    case `${ERROR}accountDoesNotExist`:
      return 'account_gone';
    case `${ERROR}rateLimited`:
      // Let's Encrypt says this with 503 when it is overloaded: that is not about our requests.
      return status >= 500 ? 'unavailable' : 'rate_limited';
    case BAD_NONCE:
    case `${ERROR}serverInternal`:
    case `${ERROR}orderNotReady`:
      return 'unavailable';
    case `${ERROR}unauthorized`:
      // Another account's order: ours was made anew at the CA.
      if (about === 'order-read') return 'order_gone';
  }
  if (about !== undefined && status === 404) return 'order_gone';
  if (status === 429) return 'rate_limited';
  // Redirects are not followed; a 404 without a problem document is somebody else's server or a misspelt directory.
  const isRefusal = status === 0 || (status >= 400 && status < 500 && type !== NO_TYPE);
  return isRefusal ? 'rejected' : 'unavailable';
}
