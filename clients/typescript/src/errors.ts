import { parseExactly, type NewPet } from './pet.js';
import type { components } from './openapi.js';

type ErrorBody = components['schemas']['Error'];

/** The request that an error is about. */
export interface FailedRequest {
  method: string;
  url: string;
}

/** An error response of the API. `code` is for programs and `message` for people. */
export class PetsApiError extends Error {
  readonly code: ErrorBody['code'];
  readonly status: number;
  readonly details: ErrorBody['details'];
  /** Name this id when you ask for help. */
  readonly requestId: string | undefined;
  readonly method: string;
  readonly url: string;

  constructor(
    { code, message, status, details, requestId }: ErrorBody,
    { method, url }: FailedRequest,
    /** The wait that the API asks for, in milliseconds; undefined if it asks for none. */
    readonly retryAfterMs: number | undefined,
  ) {
    super(message);
    this.name = 'PetsApiError';
    this.code = code;
    this.status = status;
    this.details = details;
    this.requestId = requestId;
    this.method = method;
    this.url = url;
  }
}

/** The state of a pet that won over a change with `ifMatch`. */
export type PetState = Required<NewPet>;

/** Somebody else changed the pet after you read its `etag`. Nothing was changed or removed. */
export class PetChanged extends PetsApiError {
  constructor(
    body: ErrorBody,
    request: FailedRequest,
    /** The pet as it is now. */
    readonly current: PetState,
  ) {
    // With all digits: JSON.parse has read the body.
    super({ ...body, details: { ...body.details, categoryId: current.categoryId } }, request, undefined);
    this.name = 'PetChanged';
  }
}

/**
 * The client got no response of the API: the network failed, or something else responded. The API may or may not have
 * carried out the request.
 */
export class PetsUnreachable extends Error {
  readonly method: string;
  readonly url: string;
  /**
   * `unexpected_response` if something other than the API responded. Otherwise the code of the network error where the
   * platform has one, such as `ECONNREFUSED` (Node), or `unreachable` (browsers).
   */
  readonly code: string;

  constructor(
    reason: string,
    { method, url }: FailedRequest,
    /** The error of `fetch`, or the body of the unexpected response. */
    cause: unknown,
    readonly retryAfterMs?: number,
    /** The status of the unexpected response; undefined if there was no response. */
    readonly status?: number,
  ) {
    super(`${method} ${url}: ${reason}`, { cause });
    this.name = 'PetsUnreachable';
    this.method = method;
    this.url = url;
    this.code = status === undefined ? (networkErrorOf(cause).code ?? 'unreachable') : 'unexpected_response';
  }
}

/** The error that a response stands for, whether the API sent the response or a proxy did. */
export function errorOf(
  response: Response,
  text: string,
  request: FailedRequest,
): PetsApiError | PetsUnreachable {
  const body = errorBodyOf(text);
  const retryAfterMs = retryAfterOf(response) ?? secondsIn(body?.retryAfterSeconds);
  if (body !== undefined) {
    const current = body.code === 'precondition_failed' ? stateIn(text) : undefined;
    return current === undefined
      ? new PetsApiError(body, request, retryAfterMs)
      : new PetChanged(body, request, current);
  }
  const reason = `got status ${response.status} from something that is not the API. Check baseUrl and proxies`;
  return new PetsUnreachable(reason, request, text, retryAfterMs, response.status);
}

/** The error of a `fetch` that got no response. */
export function unreachable(request: FailedRequest, cause: unknown): PetsUnreachable {
  const { message = '', code = String(cause) } = networkErrorOf(cause);
  return new PetsUnreachable(`got no response: ${message === '' ? code : message}`, request, cause);
}

/** Node wraps the error of the network in a TypeError that only says that fetch failed. */
function networkErrorOf(cause: unknown): { message?: string; code?: string } {
  return (cause as Error | undefined)?.cause ?? cause ?? {};
}

/** Undefined if it is not a response of the API. */
function errorBodyOf(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody>;
    return typeof body.code === 'string' && typeof body.message === 'string'
      ? (body as ErrorBody)
      : undefined;
  } catch {
    return undefined;
  }
}

function stateIn(text: string): PetState | undefined {
  const { details } = parseExactly(text) as { details?: Partial<PetState> };
  const { name, categoryId, status } = details ?? {};
  const state: Record<keyof PetState, unknown> = { name, categoryId, status };
  return Object.values(state).includes(undefined) ? undefined : (state as PetState);
}

function secondsIn(seconds: unknown): number | undefined {
  return typeof seconds === 'number' ? seconds * 1000 : undefined;
}

/** In seconds, as the API sends it (RFC 9110 section 10.2.3). */
function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('Retry-After');
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;
}
