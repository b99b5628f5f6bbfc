export interface ExportedPet {
  id: bigint;
  status: string;
}

/** A line of an export: a pet as `renderPet` writes it. */
const LINE = /^\{"id":(-?\d+),"name":"(?:[^"\\]|\\.)*","categoryId":-?\d+,"status":"([a-z]+)"\}$/;

/** The parts of such a line, in their order: text that is always the same, and patterns. */
const PARTS: readonly (string | RegExp)[] = [
  '{"id":',
  /^-?\d*/,
  ',"name":"',
  // A truncated name can end in the middle of an escape.
  /^(?:[^"\\]|\\.)*(?:\\$)?/,
  '","categoryId":',
  /^-?\d*/,
  ',"status":"',
  /^[a-z]*/,
  '"}',
];

/** The pet in a whole line of an export, without its line ending; undefined for any other text. */
export function readExportedLine(line: string): ExportedPet | undefined {
  const [, id, status] = LINE.exec(line) ?? [];
  return id === undefined || status === undefined ? undefined : { id: BigInt(id), status };
}

/** Whether a line of an export can begin with this text, as when the export was interrupted. */
export function beginsExportedLine(text: string): boolean {
  let rest = text;
  for (const part of PARTS)
    if (typeof part !== 'string') rest = rest.replace(part, '');
    else if (rest.startsWith(part)) rest = rest.slice(part.length);
    else return part.startsWith(rest);
  return rest === '';
}
