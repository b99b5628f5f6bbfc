import { idOf } from './parse-line.js';
import { readLines, type Line } from './read-lines.js';

const START = { offset: 0, line: 1 };
/** Matches an id as nearly every line writes it. A line with several ids is not a pet, so the first match suffices. */
const PLAIN_ID = /"id"\s*:\s*(\d+)\s*[,}]/;

/** Returns the highest id that the file gives a pet, or 0. */
export async function highestIdIn(path: string): Promise<bigint> {
  let highest = 0n;
  for await (const { lines } of readLines(path, START))
    // Starts from the last line. In files ordered by id, such as exports, it has the highest id, and only that line is
    // parsed.
    for (const line of lines.toReversed()) {
      if (!mayExceed(line, Number(highest))) continue;
      const id = idOf(line);
      if (id !== undefined && id > highest) highest = id;
    }
  return highest;
}

function mayExceed(line: Line, highest: number): boolean {
  if (typeof line !== 'string') return false;
  // A member name can contain escapes.
  if (line.includes('\\')) return true;
  if (!line.includes('"id"')) return false;
  const [, id] = PLAIN_ID.exec(line) ?? [];
  // Large numbers are rounded, but both in the same way.
  return id === undefined || Number(id) >= highest;
}
