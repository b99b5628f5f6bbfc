import { invalidRequest } from './errors.js';

/** The maximum length of a name, see check-name.ts. */
const MAX_LENGTH = 100;

/**
 * Checks a search text for names. Rejects text that no name can contain before it reaches a store.
 * @throws ApiError invalid_request
 */
export function checkNamePart(part: string | undefined, field = 'nameContains'): void {
  if (part !== undefined && (Array.from(part).length > MAX_LENGTH || /[\p{Cc}\p{Surrogate}]/u.test(part)))
    throw invalidRequest({
      field,
      message: `must have at most ${MAX_LENGTH} characters, none of them a control character`,
    });
}
