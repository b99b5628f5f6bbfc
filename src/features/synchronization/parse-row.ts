import { readJson } from '../../lib/decode-json.js';
import { unguardedCell } from '../../lib/csv.js';
import { ApiError, faultsOf, invalidRequest, type FieldFault } from '../../lib/errors.js';
import { INT64_MAX, INT64_MIN, parseCanonicalInt64, toInt64 } from '../../lib/int64.js';
import { cut, describeValue } from '../../lib/received.js';
import { withNoun } from '../../lib/with-noun.js';
import { faultOfExternalId } from '../pets/external-id.js';
import { parseNewPet } from '../pets/parse-new-pet.js';
import { PET_FIELDS, type NewPet, type PetStatus } from '../pets/pet.js';
import { FileRefused } from './pets-import.js';

/** An animal of a file. */
export interface Row extends Omit<NewPet, 'status'> {
  externalId: string;
  /** Undefined if the file gives none: a new animal is `available`, an existing one keeps its status. */
  status: PetStatus | undefined;
}

/** A row, or why the line has none. */
export type ParsedRow = Row | { reason: string };

const A_CATEGORY = `must be a whole number in plain digits without a leading zero, such as 2 (from ${INT64_MIN} to ${INT64_MAX})`;
/** The columns of a file. `id` is the gateway's own number, as exports have it: it is not read. */
const COLUMNS = ['externalId', ...PET_FIELDS, 'id'] as const;
type Column = (typeof COLUMNS)[number];
const REQUIRED: readonly Column[] = ['externalId', 'name', 'categoryId'];
const BY_LOWER_CASE: ReadonlyMap<string, Column> = new Map(
  COLUMNS.map((column) => [column.toLowerCase(), column]),
);

/** The columns of a CSV file, by position; undefined for an ignored column. */
export type Header = readonly (Column | undefined)[];

/** @throws FileRefused if a required column is missing, or one is unknown or there twice */
export function parseHeader(cells: readonly string[], ignoreUnknown: boolean): Header {
  const header = cells.map((cell) => BY_LOWER_CASE.get(cell.trim().toLowerCase()));
  const missing = REQUIRED.filter((column) => !header.includes(column));
  if (missing.length > 0)
    throw new FileRefused(
      `The first line must name the columns, and has no ${missing.join(', ')}: it is ${JSON.stringify(cut(cells.join(',')))}. ` +
        `The columns are ${REQUIRED.join(', ')} and, if you want, status.`,
    );
  const double = header.find((column, i) => column !== undefined && header.indexOf(column) !== i);
  if (double !== undefined) throw new FileRefused(`The column ${double} is there twice. Leave one out.`);
  const unknown = cells.filter((cell, i) => header[i] === undefined && cell.trim() !== '');
  if (unknown.length > 0 && !ignoreUnknown)
    throw new FileRefused(
      `The file has unknown columns: ${unknown.map((cell) => JSON.stringify(cut(cell))).join(', ')}. ` +
        `The columns are ${REQUIRED.join(', ')} and status. Remove the others, or choose to ignore them (ignoreUnknown).`,
    );
  return header;
}

export function parseCsvRow(cells: readonly string[], header: Header): ParsedRow {
  if (cells.length !== header.length)
    return {
      reason: `has ${withNoun(cells.length, 'field')}; the header has ${withNoun(header.length, 'column')}`,
    };
  const given = new Map<Column, string>();
  header.forEach((column, i) => {
    if (column !== undefined) given.set(column, cells[i] ?? '');
  });
  const category = given.get('categoryId')?.trim() ?? '';
  const status = given.get('status')?.trim() ?? '';
  return parseFields({
    externalId: unguardedCell(given.get('externalId') ?? '').trim(),
    name: unguardedCell(given.get('name') ?? ''),
    // A text that is no integer stays one, so that the reason shows it.
    ...(category !== '' && { categoryId: parseCanonicalInt64(category) ?? category }),
    ...(status !== '' && { status }),
  });
}

export function parseJsonRow(line: string, ignoreUnknown: boolean): ParsedRow {
  try {
    const value = readJson(line);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { reason: `body: must be a JSON object; received ${describeValue(value)}` };
    const { id: _ignored, ...fields } = value;
    if (!ignoreUnknown) return parseFields(fields);
    const known = Object.entries(fields).filter(([field]) => (COLUMNS as readonly string[]).includes(field));
    return parseFields(Object.fromEntries(known));
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

function parseFields({ externalId: number, ...newPet }: Record<string, unknown>): ParsedRow {
  const externalId = toInt64(number)?.toString() ?? number;
  const faults: FieldFault[] = [];
  const fault = faultOfExternalId(externalId);
  if (fault !== undefined) faults.push({ field: 'externalId', message: fault });
  try {
    const parsed = parseNewPet(newPet);
    if (faults.length === 0 && typeof externalId === 'string')
      return { externalId, ...parsed, status: newPet['status'] === undefined ? undefined : parsed.status };
    return { reason: invalidRequest(faults).message };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { reason: invalidRequest([...faults, ...faultsOf(error).map(inPlainWords)]).message };
  }

  /** The people who read the reasons of a file work in a shelter: powers of two tell them nothing. */
  function inPlainWords(fault: FieldFault): FieldFault {
    const { categoryId: value } = newPet;
    if (fault.field !== 'categoryId' || value === undefined) return fault;
    const received =
      typeof value === 'string' ? `the text ${JSON.stringify(cut(value))}` : describeValue(value);
    return { field: fault.field, message: `${A_CATEGORY}; received ${received}` };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  throw error;
}
