import { ApiFailure, noAnswer } from './api-failure.js';
import type { Document } from './document.js';
import { send } from './send.js';

interface GraphqlAnswer {
  data?: unknown;
  errors?: { message: string; extensions?: Extensions }[];
}

interface Extensions {
  code?: string;
  status?: number;
  details?: Record<string, unknown>;
  retryAfterSeconds?: number;
}

export interface GraphqlOptions {
  csrfToken: string;
  signal?: AbortSignal | undefined;
}

/** @throws ApiFailure for the first error of the response; DOMException if the request was aborted */
export async function graphql<Result, Variables extends object>(
  { text }: Document<Result, Variables>,
  variables: Variables,
  options: GraphqlOptions,
): Promise<Result> {
  const answer = await send('/graphql', { method: 'POST', body: { query: text, variables }, ...options });
  const { data, errors } = (answer.body ?? {}) as GraphqlAnswer;
  const [error] = errors ?? [];
  if (error === undefined) {
    if (data === undefined || data === null) throw noAnswer();
    return data as Result;
  }
  const {
    code = 'internal_error',
    status = answer.status,
    details,
    retryAfterSeconds,
  } = error.extensions ?? {};
  throw new ApiFailure(code, error.message, status, details, retryAfterSeconds ?? answer.retryAfterSeconds);
}
