import { invalidRequest } from './errors.js';

const MAX_LENGTH = 100;

/**
 * Checks the name that a person gives to a project or a key, and returns it trimmed.
 * @throws ApiError invalid_request
 */
export function checkName(name: string, field = 'name'): string {
  const trimmed = name.trim();
  if (trimmed === '' || Array.from(trimmed).length > MAX_LENGTH || /[\p{Cc}\p{Surrogate}]/u.test(trimmed))
    throw invalidRequest({
      field,
      message: `must have 1 to ${MAX_LENGTH} characters and no control characters`,
    });
  // Lists and the audit log would show no name.
  if (!/[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u.test(trimmed))
    throw invalidRequest({ field, message: 'must have a visible character' });
  return trimmed;
}

/**
 * Checks a search text for names. Rejects text that no name can contain before it reaches a store.
 * @throws ApiError invalid_request
 */
export function checkNamePart(part: string | undefined, field = 'nameContains'): void {
  if (part !== undefined && (Array.from(part).length > MAX_LENGTH || /[\p{Cc}\p{Surrogate}]/u.test(part)))
    throw invalidRequest({
      field,
      message: `must have at most ${MAX_LENGTH} characters and no control characters`,
    });
}
