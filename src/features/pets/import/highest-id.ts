import { idOf } from './parse-line.js';
import { readLines, type Line } from './read-lines.js';

const START = { offset: 0, line: 1 };
/** An id as it stands in nearly every line that has one; the first of several, with which a line is no pet's. */
const PLAIN_ID = /"id"\s*:\s*(\d+)\s*[,}]/;

/** The highest id that a pet of the file has of its own, or 0. */
export async function highestIdIn(path: string): Promise<bigint> {
  let highest = 0n;
  for await (const { lines } of readLines(path, START))
    // From the last one, which has the highest where they are in order, as in an export: then only that one is parsed.
    for (const line of lines.toReversed()) {
      if (!mayExceed(line, Number(highest))) continue;
      const id = idOf(line);
      if (id !== undefined && id > highest) highest = id;
    }
  return highest;
}

function mayExceed(line: Line, highest: number): boolean {
  if (typeof line !== 'string') return false;
  // The name of a member may be written with escapes.
  if (line.includes('\\')) return true;
  if (!line.includes('"id"')) return false;
  const [, id] = PLAIN_ID.exec(line) ?? [];
  // Numbers of that size are rounded, but alike.
  return id === undefined || Number(id) >= highest;
}
