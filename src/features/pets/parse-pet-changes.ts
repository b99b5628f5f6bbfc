import { invalidRequest, type FieldFault } from '../../lib/errors.js';
import { describeValue } from '../../lib/received.js';
import { faultOf } from './parse-new-pet.js';
import { PET_FIELDS, type NewPet } from './pet.js';
import type { PetChanges } from './pet-change.js';
import { toInt64 } from '../../lib/int64.js';

/**
 * Parses the changes of a pet for both interfaces: a JSON Merge Patch (RFC 7396) with at least one field of NewPet. No
 * field can be removed, so null is invalid.
 * @param whole the name of the input as a whole, for errors
 * @throws ApiError invalid_request naming every invalid field
 */
export function parsePetChanges(input: unknown, whole = 'body'): PetChanges {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalidRequest({
      field: whole,
      message: `must be a JSON object; received ${describeValue(input)}`,
    });
  const given = Object.entries(input);
  const fields: ReadonlySet<string> = new Set(PET_FIELDS);
  const faults = given.flatMap(([field, value]): FieldFault[] => {
    if (!fields.has(field))
      return [{ field, message: `is not a field that you can change; these are ${PET_FIELDS.join(', ')}` }];
    const message = faultOf(field as keyof NewPet, value);
    return message === undefined ? [] : [{ field, message }];
  });
  if (given.length === 0)
    faults.push({ field: whole, message: `must have at least one of ${PET_FIELDS.join(', ')}` });
  if (faults.length > 0) throw invalidRequest(faults);
  return Object.fromEntries(
    given.map(([field, value]: [string, unknown]) => [
      field,
      field === 'categoryId' ? toInt64(value) : value,
    ]),
  );
}
