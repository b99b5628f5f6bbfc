import type { Request, Response } from 'express';
import type { GraphQLFormattedError } from 'graphql';
import { preferredType } from '../../http/answers/accepts.js';
import { endWith } from '../../http/answers/end-with.js';

export const GRAPHQL_JSON = 'application/graphql-response+json';
export const PLAIN_JSON = 'application/json';

export type MediaType = typeof GRAPHQL_JSON | typeof PLAIN_JSON;

/** A client may also name the charset, as the specification's own example does: it is the same media type. */
const OFFERED: readonly (readonly [string, MediaType])[] = [
  [PLAIN_JSON, PLAIN_JSON],
  [GRAPHQL_JSON, GRAPHQL_JSON],
  [contentTypeOf(PLAIN_JSON), PLAIN_JSON],
  [contentTypeOf(GRAPHQL_JSON), GRAPHQL_JSON],
];

/**
 * Returns the media type of the response, or undefined if the client accepts neither. It decides the HTTP status
 * (GraphQL over HTTP, 6.4): under application/json, a request that could not be executed still gets 200.
 */
export function mediaTypeOf(req: Request): MediaType | undefined {
  const preferred = preferredType(
    req,
    OFFERED.map(([offered]) => offered),
  );
  return OFFERED.find(([offered]) => offered === preferred)?.[1];
}

export function contentTypeOf(mediaType: MediaType): string {
  return `${mediaType}; charset=utf-8`;
}

/** The response to one operation. */
export interface Answer {
  /** Undefined if nothing was executed. */
  data: unknown;
  /** `data` as JSON, if several responses share it and there are no errors. */
  dataJson?: string | undefined;
  errors: readonly GraphQLFormattedError[] | undefined;
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
  const bodies = answers.map(renderAnswer);
  endWith(res, isBatch ? `[${bodies.join()}]` : (bodies[0] ?? ''));
}

function renderAnswer({ data, dataJson, errors, extensions }: Answer): string {
  if (errors !== undefined) return JSON.stringify({ errors, data, extensions });
  return `{"data":${dataJson ?? JSON.stringify(data)},"extensions":${JSON.stringify(extensions)}}`;
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
  const seconds = answers.flatMap(({ errors = [] }) =>
    errors.map(({ extensions }) => Number(extensions?.['retryAfterSeconds'] ?? 1)),
  );
  return Math.max(1, ...seconds);
}
