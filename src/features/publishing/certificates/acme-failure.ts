/**
 * Why the CA did not fulfill a request, as stored and shown.
 * - `rate_limited`, `unavailable`: the same request can succeed later.
 * - `caa`, `rejected`: the same request can succeed only after something changes.
 * - `order_gone`: the CA does not know the order, or no longer knows it.
 * - `account_gone`: the CA does not know the account.
 */
export interface AcmeFailure {
  kind: 'rate_limited' | 'caa' | 'rejected' | 'unavailable' | 'order_gone' | 'account_gone';
  /** The problem type (RFC 8555, 6.7); `about:blank` if the CA named none or did not respond. */
  type: string;
  /** The CA's own text, or the error that prevented the request from reaching it. */
  detail: string;
  /** The wait that the CA asked for, in milliseconds, without an upper limit. */
  retryAfterMs?: number;
}

/** The error of every failed CA call. */
export class AcmeError extends Error {
  constructor(
    readonly failure: AcmeFailure,
    cause?: unknown,
  ) {
    super(`${failure.kind}: ${failure.detail} (${failure.type})`, { cause });
    this.name = 'AcmeError';
  }
}

/** A problem document (RFC 9457), limited to the members that CAs fill in. */
export interface AcmeProblem {
  type?: string | undefined;
  detail?: string | undefined;
  subproblems?: readonly AcmeProblem[] | undefined;
}

export interface ProblemOrigin {
  /** HTTP status; undefined for a problem within an order or a challenge. */
  status?: number;
  retryAfterMs?: number | undefined;
  /** Set if the problem answers a request that reads or changes a resource of an order. */
  about?: 'order-read' | 'order-change';
}

export const NO_TYPE = 'about:blank';
const ERROR = 'urn:ietf:params:acme:error:';
export const BAD_NONCE = `${ERROR}badNonce`;
/** Limits stored text: the CA writes the detail for people and can make it any length. */
const DETAIL_CHARACTERS = 1000;

/** Classifies a problem by how the issuance continues after it. */
export function failureOf(problem: AcmeProblem, origin: ProblemOrigin = {}): AcmeFailure {
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

/**
 * Returns the CAA subproblem of a `compound` problem (RFC 8555, 6.7.1) if there is one: people need to see that error.
 */
function leadingProblem(problem: AcmeProblem): AcmeProblem {
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
      // Let's Encrypt sends this type with status 503 when it is overloaded, which is not a limit on our requests.
      return status >= 500 ? 'unavailable' : 'rate_limited';
    case BAD_NONCE:
    case `${ERROR}serverInternal`:
    case `${ERROR}orderNotReady`:
      return 'unavailable';
    case `${ERROR}unauthorized`:
      // The order belongs to another account, because the CA lost our account and the gateway created it again.
      if (about === 'order-read') return 'order_gone';
  }
  if (about !== undefined && status === 404) return 'order_gone';
  if (status === 429) return 'rate_limited';
  // The gateway does not follow redirects. A 404 without a problem document comes from a server that is not the CA, or
  // means a misspelled directory URL.
  const isRefusal = status === 0 || (status >= 400 && status < 500 && type !== NO_TYPE);
  return isRefusal ? 'rejected' : 'unavailable';
}
