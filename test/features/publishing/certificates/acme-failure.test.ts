import {
  failureOf,
  type ProblemOrigin,
} from '../../../../src/features/publishing/certificates/acme-failure.js';

const typed = (name: string) => ({ type: `urn:ietf:params:acme:error:${name}`, detail: 'words of the CA' });

describe('the meaning of a rejection by the CA', () => {
  it.each<[string, string, ProblemOrigin]>([
    ['rate_limited', 'rateLimited', { status: 429 }],
    ['rate_limited', 'malformed', { status: 429 }],
    ['unavailable', 'rateLimited', { status: 503 }],
    ['unavailable', 'rateLimited', { status: 500 }],
    ['unavailable', 'malformed', { status: 500 }],
    ['unavailable', 'malformed', { status: 302 }],
    ['unavailable', 'serverInternal', { status: 500 }],
    ['unavailable', 'serverInternal', {}],
    ['unavailable', 'badNonce', { status: 400 }],
    ['unavailable', 'orderNotReady', { status: 403 }],
    ['caa', 'caa', { status: 403 }],
    ['caa', 'caa', {}],
    ['account_gone', 'accountDoesNotExist', { status: 400 }],
    ['order_gone', 'malformed', { status: 404, about: 'order-read' }],
    ['order_gone', 'malformed', { status: 404, about: 'order-change' }],
    ['order_gone', 'unauthorized', { status: 403, about: 'order-read' }],
    ['rejected', 'unauthorized', { status: 403, about: 'order-change' }],
    ['rejected', 'unauthorized', { status: 403 }],
    ['rejected', 'unauthorized', {}],
    ['rejected', 'dns', {}],
    ['rejected', 'connection', {}],
    ['rejected', 'rejectedIdentifier', { status: 400 }],
    ['rejected', 'malformed', { status: 404 }],
    ['rejected', 'userActionRequired', { status: 403 }],
  ])('%s: %s with %j', (kind, name, origin) => {
    expect(failureOf(typed(name), origin)).toEqual({ kind, ...typed(name) });
  });

  it.each<[string, ProblemOrigin]>([
    ['unavailable', { status: 404 }],
    ['unavailable', { status: 403 }],
    ['unavailable', { status: 301 }],
    ['rate_limited', { status: 429 }],
    ['order_gone', { status: 404, about: 'order-read' }],
  ])('%s: an answer without a problem document, with %j', (kind, origin) => {
    expect(failureOf({}, origin)).toEqual({
      kind,
      type: 'about:blank',
      detail: `HTTP ${origin.status ?? ''}`,
    });
  });

  it('is CAA when that is one of several reasons', () => {
    const compound = {
      ...typed('compound'),
      subproblems: [typed('dns'), { ...typed('caa'), detail: 'CAA' }],
    };
    expect(failureOf(compound, { status: 403 })).toEqual({ ...typed('caa'), kind: 'caa', detail: 'CAA' });
  });

  it('keeps the wait that the CA asks for, and limits the text', () => {
    const failure = failureOf({ ...typed('dns'), detail: 'x'.repeat(100_000) }, { retryAfterMs: 5 });
    expect(failure.retryAfterMs).toBe(5);
    expect(failure.detail).toHaveLength(1000);
  });
});
