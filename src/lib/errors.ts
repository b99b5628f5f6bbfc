/**
 * All errors that a client can see. The names are the REST `code` and the GraphQL `extensions.code`; the values are the
 * HTTP status.
 */
export const ERROR_STATUS = {
  invalid_request: 400,
  query_too_costly: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  forbidden: 403,
  plan_required: 403,
  pet_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  conflict: 409,
  idempotency_in_progress: 409,
  operation_removed: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  misdirected_request: 421,
  idempotency_mismatch: 422,
  rate_limit_exceeded: 429,
  key_banned: 429,
  request_headers_too_large: 431,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** A fault in one part of the input. `field` is the name or path of that part (`input.name`). */
export interface FieldFault {
  field: string;
  message: string;
}

export interface ApiErrorOptions {
  /** Machine-readable details for the client. REST renders a bigint member as digits, GraphQL as text. */
  details?: Record<string, unknown>;
  /** When the client may retry, in whole seconds; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** The internal reason: logged, never shown. */
  cause?: unknown;
}

/** An error whose code and message are shown to the client. Any other error is masked as `internal_error`. */
export class ApiError extends Error {
  readonly status: number;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ApiErrorOptions = {},
  ) {
    // No stack trace: nobody reads it, and capturing it takes a tenth of the time of a rejection.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'ApiError';
    this.status = ERROR_STATUS[code];
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Whether the error says that what was named does not exist, or not for this caller. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found';
}

/** A 400 that names every invalid field: in the message for people, and in `details.fields` for programs. */
export function invalidRequest(faults: FieldFault | readonly FieldFault[]): ApiError {
  const fields = Array.isArray(faults) ? (faults as readonly FieldFault[]) : [faults as FieldFault];
  return new ApiError('invalid_request', fields.map((f) => `${f.field}: ${f.message}`).join('; '), {
    details: { fields },
  });
}

/** The field faults of an error; empty if the error is about something else. */
export function faultsOf({ details }: ApiError): readonly FieldFault[] {
  return (details?.['fields'] ?? []) as readonly FieldFault[];
}

/** A 503 for a store that cannot answer now. `Retry-After` is short, because the stores recover by themselves. */
export function serviceUnavailable(message: string, cause?: unknown): ApiError {
  return new ApiError('service_unavailable', message, { retryAfterSeconds: 2, cause });
}
