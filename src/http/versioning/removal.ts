import type { Clock } from '../../lib/clock.js';
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

/** The notice until the sunset; for a GraphQL field, the text of `@deprecated(reason:)`. */
export function reasonOf(name: string, { sunsetMs, instead }: Deprecation): string {
  return `${name} is removed on ${dayOf(sunsetMs)}. ${instead}`;
}

/** Formats a UTC day for people: 5 December 2030. */
export function dayOf(ms: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(ms);
}
