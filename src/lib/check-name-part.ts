import { invalidRequest } from './errors.js';

/** No name is longer, see check-name.ts. */
const MAX_LENGTH = 100;

/**
 * A part of a name to search by: what no name could contain is refused before a store has to.
 * @throws ApiError invalid_request
 */
export function checkNamePart(part: string | undefined, field = 'nameContains'): void {
  if (part !== undefined && (Array.from(part).length > MAX_LENGTH || /[\p{Cc}\p{Surrogate}]/u.test(part)))
    throw invalidRequest({
      field,
      message: `must have at most ${MAX_LENGTH} characters, none of them a control character`,
    });
}
