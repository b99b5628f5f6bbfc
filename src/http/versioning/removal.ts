import type { ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.js';
import { BASE_PATH } from './api-version.js';
import { ApiError } from '../../lib/errors.js';
import type { Deprecation } from './operation.js';

/** @throws ApiError operation_removed from the sunset on */
export function assertNotRemoved(name: string, deprecation: Deprecation, clock: Clock): void {
  if (clock() < deprecation.sunsetMs) return;
  throw new ApiError(
    'operation_removed',
    `${name} was removed on ${dayOf(deprecation.sunsetMs)}. ${deprecation.instead}`,
  );
}

/**
 * Sets Deprecation (RFC 9745), Sunset (RFC 8594) and Link (RFC 8288). The links are absolute if `publicUrl`, PUBLIC_URL,
 * is known.
 */
export function setDeprecationHeaders(
  res: ServerResponse,
  { deprecatedMs, sunsetMs, successor }: Pick<Deprecation, 'deprecatedMs' | 'sunsetMs' | 'successor'>,
  publicUrl = '',
): void {
  res.setHeader('Deprecation', `@${Math.floor(deprecatedMs / 1000)}`);
  res.setHeader('Sunset', new Date(sunsetMs).toUTCString());
  const links = [
    ...(successor === undefined ? [] : [`<${publicUrl}${BASE_PATH}${successor}>; rel="successor-version"`]),
    `<${publicUrl}/docs/versioning>; rel="deprecation"; type="text/html"`,
  ];
  res.setHeader('Link', links.join(', '));
}

/** The notice until the sunset; for a GraphQL field, the text of `@deprecated(reason:)`. */
export function reasonOf(name: string, { sunsetMs, instead }: Deprecation): string {
  return `${name} is removed on ${dayOf(sunsetMs)}. ${instead}`;
}

/** Formats a UTC day for people: 5 December 2030. */
export function dayOf(ms: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(ms);
}
