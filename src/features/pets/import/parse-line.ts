import { readJson } from '../../../lib/decode-json.js';
import { ApiError, invalidRequest } from '../../../lib/errors.js';
import { toInt64 } from '../../../lib/int64.js';
import { describeValue } from '../../../lib/received.js';
import type { JsonValue } from '../../../lib/parse-json.js';
import { parseNewPet } from '../parse-new-pet.js';
import type { NewPet } from '../pet.js';
import type { Line } from './read-lines.js';

export type ParsedLine =
  | { kind: 'pet'; pet: NewPet; id: bigint | undefined }
  | { kind: 'blank' }
  | { kind: 'rejected'; reason: string };

/** Half of the available ids: an import must not use up the ids of later pets. */
const MAX_ID = 2n ** 62n;

/** Parses a line of an import: a NewPet of the specification, or a Pet, whose id is kept. */
export function parseLine(line: Line): ParsedLine {
  if (typeof line !== 'string') return { kind: 'rejected', reason: line.unreadable };
  if (line === '') return { kind: 'blank' };
  try {
    const { id, newPet } = readPlainLine(line) ?? contentOf(readJson(line));
    return { kind: 'pet', pet: parseNewPet(newPet), id: id === undefined ? undefined : parseId(id) };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'rejected', reason: error.message };
    throw error;
  }
}

/** The id in a line, if the line is a valid pet with an id. */
export function idOf(line: Line): bigint | undefined {
  const parsed = parseLine(line);
  return parsed.kind === 'pet' ? parsed.id : undefined;
}

function contentOf(value: JsonValue): LineContent {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { id: undefined, newPet: value };
  const { id, ...newPet } = value;
  return { id, newPet };
}

function parseId(value: unknown): bigint {
  const id = toInt64(value);
  if (id === undefined || id < 1n || id > MAX_ID)
    throw invalidRequest({
      field: 'id',
      message: `must be an integer from 1 to ${MAX_ID} (2^62), which leaves as many ids for pets that are added later; received ${describeValue(value)}`,
    });
  return id;
}

/** The content of a line before validation. */
export interface LineContent {
  id: unknown;
  newPet: unknown;
}

/**
 * Matches a pet as the API, exports and most programs write it: members in this order, a name without escapes, numbers
 * that a double represents exactly, at most one space after a comma or a colon.
 */
const PLAIN =
  // Each member starts with its own fixed text, so no part of the line is read twice.
  // eslint-disable-next-line security/detect-unsafe-regex
  /^\{(?:"id": ?([1-9]\d{0,14}), ?)?"name": ?"([ !#-[\]-\uFFFF]*)", ?"categoryId": ?(0|-?[1-9]\d{0,14})(?:, ?"status": ?"(available|pending|sold)")?\}$/;

/** Returns the same content as a JSON parser, in a tenth of the time; undefined for a line in any other notation. */
export function readPlainLine(line: string): LineContent | undefined {
  const match = PLAIN.exec(line);
  if (match === null) return undefined;
  const [, id, name, categoryId, status] = match;
  return {
    id: id === undefined ? undefined : Number(id),
    newPet: { name, categoryId: Number(categoryId), status },
  };
}
