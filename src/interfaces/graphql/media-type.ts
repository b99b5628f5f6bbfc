import type { Request } from 'express';
import { preferredType } from '../../http/answers/accepts.js';

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
