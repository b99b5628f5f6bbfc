import { invalidRequest, type FieldFault } from '../../lib/errors.js';
import { describeValue } from '../../lib/received.js';
import { toInt64 } from '../../lib/int64.js';
import { isPetStatus, PET_FIELDS, PET_STATUSES, type NewPet } from './pet.js';

const FIELDS: ReadonlySet<string> = new Set(PET_FIELDS);
const MAX_NAME_CODE_POINTS = 255;
const LONE_SURROGATE = /\p{Surrogate}/u;
const NOT_BLANK = /\S/;

/**
 * Parses a NewPet for both interfaces. `status` defaults to `available`. Only in GraphQL does a null status mean the
 * default, so that interface sets `nullMeansDefault`.
 *
 * @throws ApiError invalid_request naming every invalid field
 */
export function parseNewPet(input: unknown, { nullMeansDefault = false } = {}): NewPet {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalidRequest({
      field: 'body',
      message: `must be a JSON object; received ${describeValue(input)}`,
    });
  const { name, categoryId, status } = input as Record<string, unknown>;
  const faults: FieldFault[] = Object.keys(input)
    .filter((field) => !FIELDS.has(field))
    .map((field) => ({ field, message: `is not a field of a new pet, which has ${PET_FIELDS.join(', ')}` }));

  const useDefault = status === undefined || (nullMeansDefault && status === null);
  const newPet = { name, categoryId, status: useDefault ? 'available' : status };
  for (const field of PET_FIELDS) {
    const message = newPet[field] === undefined ? 'is required' : faultOf(field, newPet[field]);
    if (message !== undefined) faults.push({ field, message });
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return { ...newPet, categoryId: toInt64(categoryId) } as NewPet;
}

/** Returns why a pet cannot have this value in this field, or undefined if it can. */
export function faultOf(field: keyof NewPet, value: unknown): string | undefined {
  switch (field) {
    case 'name':
      return faultOfName(value);
    case 'categoryId':
      return toInt64(value) === undefined
        ? `must be an integer from -2^63 to 2^63-1; received ${describeValue(value)}`
        : undefined;
    case 'status':
      return isPetStatus(value)
        ? undefined
        : `must be one of ${PET_STATUSES.join(', ')}; received ${describeValue(value)}`;
  }
}

/** Names are stored exactly as sent, so a name that cannot be stored is rejected instead of repaired. */
function faultOfName(name: unknown): string | undefined {
  if (typeof name !== 'string') return `must be a string; received ${describeValue(name)}`;
  if (LONE_SURROGATE.test(name)) return 'must be valid Unicode: it has a lone surrogate';
  if (name.includes('\0')) return 'must not have a NUL character';
  if (!NOT_BLANK.test(name)) return 'must not be blank';
  // A code point has at most two UTF-16 units, so counting is necessary only for longer names.
  if (name.length > MAX_NAME_CODE_POINTS && Array.from(name).length > MAX_NAME_CODE_POINTS)
    return `must have at most ${MAX_NAME_CODE_POINTS} characters`;
  return undefined;
}
