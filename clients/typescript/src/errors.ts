import type { components } from './openapi.js';

type ErrorBody = components['schemas']['Error'];

/** An error that the API answered with; `code` is for programs, `message` for people. */
export class PetsApiError extends Error {
  readonly code: ErrorBody['code'];
  readonly status: number;
  readonly details: ErrorBody['details'];
  /** To be named when asking for help. */
  readonly requestId: string | undefined;

  constructor(
    { code, message, status, details, requestId }: ErrorBody,
    /** What the API asked to wait; undefined: nothing. */
    readonly retryAfterMs: number | undefined,
  ) {
    super(message);
    this.name = 'PetsApiError';
    this.code = code;
    this.status = status;
    this.details = details;
    this.requestId = requestId;
  }
}

/** No answer of the API: the network, or something between. Whether the request was carried out is not known. */
export class PetsUnreachable extends Error {
  constructor(
    message: string,
    cause: unknown,
    readonly retryAfterMs?: number,
    /** Of an answer that is not the API's; undefined when there was none. */
    readonly status?: number,
  ) {
    super(message, { cause });
    this.name = 'PetsUnreachable';
  }
}

/** A proxy's answer is no Error of the API. */
export function errorOf(response: Response, text: string): PetsApiError | PetsUnreachable {
  const retryAfterMs = retryAfterOf(response);
  try {
    const body = JSON.parse(text) as Partial<ErrorBody>;
    if (typeof body.code === 'string' && typeof body.message === 'string')
      return new PetsApiError(body as ErrorBody, retryAfterMs);
  } catch {
    // Said below.
  }
  return new PetsUnreachable(
    `answered ${response.status}, by something that is not the API`,
    text,
    retryAfterMs,
    response.status,
  );
}

/** In seconds, as the API sends it (RFC 9110 section 10.2.3). */
function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('Retry-After');
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;
}
