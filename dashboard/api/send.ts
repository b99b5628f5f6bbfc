import { ApiFailure, noAnswer } from './api-failure.js';

export interface Sending {
  method?: 'GET' | 'POST' | 'DELETE';
  csrfToken?: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

export interface Answer {
  isOk: boolean;
  status: number;
  body: unknown;
  /** The Retry-After header, whole seconds; undefined if there is none. */
  retryAfterSeconds: number | undefined;
}

/**
 * Sends one request to the gateway, with the session's cookie.
 * @throws ApiFailure if there is no response, or it is not JSON; DOMException if the request was aborted
 */
export async function send(path: string, sending: Sending = {}): Promise<Answer> {
  const { method = 'GET', csrfToken, body, signal } = sending;
  try {
    const answer = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(csrfToken !== undefined && { 'x-csrf-token': csrfToken }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      credentials: 'same-origin',
      cache: 'no-store',
    });
    const text = await answer.text();
    return {
      isOk: answer.ok,
      status: answer.status,
      body: text === '' ? undefined : JSON.parse(text),
      retryAfterSeconds: secondsOf(answer.headers.get('retry-after')),
    };
  } catch (error) {
    if (isAbort(error)) throw error;
    throw noAnswer();
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Converts a response that is an Error object of the API: `{ code, message, status, details? }`. */
export function failureOf({ body, status, retryAfterSeconds }: Answer): ApiFailure {
  const { code, message, details } = (body ?? {}) as Partial<ApiFailure>;
  if (code === undefined || message === undefined) return noAnswer();
  return new ApiFailure(code, message, status, details, retryAfterSeconds);
}

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}
