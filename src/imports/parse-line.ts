import { decodeJson } from '../lib/decode-json.js';
import { ApiError, invalidRequest } from '../lib/errors.js';
import { toInt64 } from '../lib/int64.js';
import { parseNewPet } from '../pets/parse-new-pet.js';
import type { NewPet } from '../pets/pet.js';
import { MAX_LINE_BYTES } from './read-lines.js';

export type ParsedLine =
  | { kind: 'pet'; pet: NewPet; id: bigint | undefined }
  | { kind: 'blank' }
  | { kind: 'rejected'; reason: string };

/** Half of what there is: an import must not use up the ids that pets get later. */
const MAX_ID = 2n ** 62n;

/** A line of an import: a NewPet of the specification, or a Pet, whose id is kept. */
export function parseLine(line: Buffer | undefined): ParsedLine {
  if (line === undefined) return { kind: 'rejected', reason: `is longer than ${MAX_LINE_BYTES} bytes` };
  if (line.length === 0) return { kind: 'blank' };
  try {
    const value = decodeJson(line);
    const { id, rest } = withoutId(value);
    return { kind: 'pet', pet: parseNewPet(rest), id: id === undefined ? undefined : parseId(id) };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'rejected', reason: error.message };
    throw error;
  }
}

/** The id of a line, if it has one that could be a pet's. */
export function idOf(line: Buffer | undefined): bigint | undefined {
  // Most files have none, and need not be parsed twice; a name may be written with escapes.
  if (line === undefined || !(line.includes('"id"') || line.includes('\\'))) return undefined;
  const parsed = parseLine(line);
  return parsed.kind === 'pet' ? parsed.id : undefined;
}

function withoutId(value: unknown): { id: unknown; rest: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { id: undefined, rest: value };
  const { id, ...rest } = value as Record<string, unknown>;
  return { id, rest };
}

function parseId(value: unknown): bigint {
  const id = toInt64(value);
  if (id === undefined || id < 1n || id > MAX_ID)
    throw invalidRequest({ field: 'id', message: `must be an integer from 1 to ${MAX_ID}` });
  return id;
}
