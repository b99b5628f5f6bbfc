import type { Request, Response } from 'express';
import type { Precondition } from '../../features/administration/pets-of-caller.js';
import { PetConditionError } from '../../features/pets/pets-service.js';
import { invalidRequest } from '../../lib/errors.js';
import { jsonAnswer } from './json-answer.js';
import { renderPet } from './render-pet.js';

/** An entity tag, which can contain commas (RFC 9110 section 8.8.3). */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Returns what the request's `If-Match` requires of the pet (RFC 9110 section 13.1.1): that its ETag is one of these. The
 * comparison is strong, so a weak tag matches nothing. `*` requires that the pet exists, which a change always does.
 * @throws ApiError invalid_request if the header is not a list of entity tags
 */
export function preconditionOf({ headers }: Request): Precondition {
  const text = headers['if-match']?.trim();
  if (text === undefined) return {};
  if (text === '*') return { ifMatch: { text, accepts: () => true } };
  const tags: string[] = text.match(ENTITY_TAG) ?? [];
  const elements = text.replaceAll(ENTITY_TAG, '""').split(',');
  if (tags.length === 0 || !elements.every((element) => ['', '""'].includes(element.trim())))
    throw invalidRequest({
      field: 'If-Match',
      message:
        'must be * or a list of entity tags, such as the ETag of an earlier response, in quotation marks',
    });
  const accepts = new Set(tags);
  return {
    ifMatch: { text: tags.join(), accepts: (pet) => accepts.has(jsonAnswer(renderPet(pet)).etag) },
  };
}

/**
 * Waits for a change that `precondition` is about. If the pet does not meet it, the 412 has the pet's ETag and says why
 * `If-Match` does not match.
 * @throws what the change throws
 */
export async function withCurrentETag<T>(
  res: Response,
  { ifMatch }: Precondition,
  change: Promise<T>,
): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof PetConditionError) || ifMatch === undefined) throw error;
    const { etag } = jsonAnswer(renderPet(error.pet));
    res.setHeader('ETag', etag);
    const weak = `W/${etag}`;
    const why = ifMatch.text.includes(weak)
      ? `${weak} in If-Match is a weak ETag, which never matches (RFC 9110 section 13.1.1). Send it without W/.`
      : `The pet with the id ${error.pet.id} has another ETag than If-Match names: it is now ${etag}.`;
    throw new PetConditionError(error.pet, why);
  }
}
