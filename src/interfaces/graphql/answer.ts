import type { Response } from 'express';
import type { GraphQLFormattedError } from 'graphql';
import { endWith } from '../../http/answers/end-with.js';
import { contentTypeOf, GRAPHQL_JSON, type MediaType } from './media-type.js';

/** The response to one operation. */
export interface Answer {
  data?: unknown;
  errors?: readonly GraphQLFormattedError[];
  extensions: Record<string, unknown>;
}

/** Sends no ETag, because every response reports a different cost. */
export function sendAnswers(
  res: Response,
  mediaType: MediaType,
  answers: readonly Answer[],
  isBatch: boolean,
): void {
  const status = statusOfAll(answers, mediaType, isBatch);
  if (status === 503) res.setHeader('Retry-After', retryAfterSeconds(answers));
  res.setHeader('Content-Type', contentTypeOf(mediaType));
  res.statusCode = status;
  endWith(res, JSON.stringify(isBatch ? answers : answers[0]));
}

/** A batch gets status 200 whatever its entries are, or 503 if a store is down and no entry could be executed. */
function statusOfAll(answers: readonly Answer[], mediaType: MediaType, isBatch: boolean): number {
  const statuses = answers.map((answer) => statusOf(answer, mediaType));
  if (!isBatch) return statuses[0] ?? 200;
  return statuses.every((status) => status === 503) ? 503 : 200;
}

/**
 * Status by GraphQL over HTTP 6.4.1 and 6.4.2, with two exceptions. If `data` is null because a store is down, the
 * status is 503 and not that of a partial response, so that proxies and clients retry. A denied request gets 403 under
 * either media type.
 */
function statusOf({ data, errors = [] }: Answer, mediaType: MediaType): number {
  const statuses = errors.map((error) => Number(error.extensions?.['status'] ?? 500));
  if (data === undefined) {
    const [status = 400] = statuses;
    return mediaType === GRAPHQL_JSON || status === 403 ? status : 200;
  }
  return data === null && statuses.length > 0 && statuses.every((status) => status === 503) ? 503 : 200;
}

function retryAfterSeconds(answers: readonly Answer[]): number {
  const told = answers.flatMap(({ errors = [] }) =>
    errors.map(({ extensions }) => Number(extensions?.['retryAfterSeconds'] ?? 1)),
  );
  return Math.max(1, ...told);
}
