import { invalidRequest, type FieldFault } from '../../lib/errors.js';
import { isPetStatus, PET_STATUSES } from '../../features/pets/pet.js';
import { idOfCursor } from '../../features/pets/cursor.js';
import { parseCanonicalInt64 } from '../../lib/int64.js';
import { PAGE_SIZE } from '../../lib/page-size.js';
import type { PetsQuery } from '../../features/pets/page.js';
import { cut } from '../../lib/received.js';

const PARAMETERS: readonly string[] = ['limit', 'status', 'after', 'categoryId', 'mine'];
const CANONICAL_DIGITS = /^[1-9][0-9]{0,2}$/;

/**
 * Parses the query of listPets, of which `categoryId` and `mine` are beta: each parameter at most once, no unknown
 * parameters, no value clamped.
 * @param ownProject the project whose pets `mine` selects; undefined: those of no project
 * @throws ApiError invalid_request naming every faulty parameter
 */
export function parsePetsQuery(parameters: URLSearchParams, ownProject: string | undefined): PetsQuery {
  const faults: FieldFault[] = [];
  const query: PetsQuery = { limit: PAGE_SIZE.default };
  for (const name of new Set(parameters.keys()))
    if (!PARAMETERS.includes(name)) faults.push(unknownParameter(name));
    else if (parameters.getAll(name).length > 1)
      faults.push({ field: name, message: 'was given more than once' });

  const limit = parameters.get('limit');
  if (limit !== null) {
    query.limit = CANONICAL_DIGITS.test(limit) ? Number(limit) : NaN;
    if (!(query.limit <= PAGE_SIZE.maximum))
      faults.push({
        field: 'limit',
        message: `must be an integer from ${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}; ${received(limit)}`,
      });
  }

  const status = parameters.get('status');
  if (isPetStatus(status)) query.status = status;
  else if (status !== null)
    faults.push({
      field: 'status',
      message: `must be one of ${PET_STATUSES.join(', ')}; ${received(status)}`,
    });

  const after = parameters.get('after');
  const afterId = after === null ? undefined : idOfCursor(after);
  if (afterId !== undefined) query.afterId = afterId;
  else if (after !== null)
    faults.push({ field: 'after', message: 'must be a cursor taken from a Link or X-Next-Cursor header' });

  const category = parameters.get('categoryId');
  const categoryId = category === null ? undefined : parseCanonicalInt64(category);
  if (categoryId !== undefined) query.categoryId = categoryId;
  else if (category !== null)
    faults.push({
      field: 'categoryId',
      message: `must be an integer from -2^63 to 2^63-1; ${received(category)}`,
    });

  const mine = parameters.get('mine');
  if (mine === 'true') query.projectId = ownProject ?? null;
  else if (mine !== null && mine !== 'false')
    faults.push({ field: 'mine', message: `must be true or false; ${received(mine)}` });

  if (faults.length > 0) throw invalidRequest(faults);
  return query;
}

/** For an operation without query parameters. @throws ApiError invalid_request */
export function assertNoParameters(parameters: URLSearchParams): void {
  const faults = Array.from(new Set(parameters.keys()), (field) => ({
    field,
    message: 'is not a parameter of this operation, which has none',
  }));
  if (faults.length > 0) throw invalidRequest(faults);
}

function received(value: string): string {
  return `received ${JSON.stringify(cut(value))}`;
}

function unknownParameter(field: string): FieldFault {
  return { field, message: `is not a parameter of this operation, which has ${PARAMETERS.join(', ')}` };
}

/** The query string of a request target, as sent. */
export function searchParametersOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
}
