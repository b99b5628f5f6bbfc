import { invalidRequest } from '../../lib/errors.js';
import { describeValue } from '../../lib/received.js';

const MAX_CODE_POINTS = 64;

/** Returns why the value cannot be a project's own number of a pet, or undefined if it can. */
export function faultOfExternalId(value: unknown): string | undefined {
  if (value === undefined || value === '') return "is required: the animal's number in your own software";
  if (typeof value !== 'string') return `must be a string; received ${describeValue(value)}`;
  if (/[\p{Cc}\p{Surrogate}]/u.test(value)) return 'must not have control characters';
  if (value.trim() === '') return 'must not be blank';
  if (Array.from(value).length > MAX_CODE_POINTS) return `must have at most ${MAX_CODE_POINTS} characters`;
  return undefined;
}

/** @throws ApiError invalid_request for a text that cannot be a project's own number of a pet */
export function checkExternalId(text: string, field: string): string {
  const fault = faultOfExternalId(text);
  if (fault !== undefined) throw invalidRequest({ field, message: fault });
  return text;
}
