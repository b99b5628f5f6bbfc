/** What stands in a line, before any rule has been looked at. */
export interface LineContent {
  id: unknown;
  newPet: unknown;
}

/**
 * A pet as the API and exports write it, and as most programs do: members in that order, a name without escapes,
 * numbers that a double holds exactly, at most one space behind a comma or a colon.
 */
const PLAIN =
  // Each member begins with a text of its own, so nothing is read twice.
  // eslint-disable-next-line security/detect-unsafe-regex
  /^\{(?:"id": ?([1-9]\d{0,14}), ?)?"name": ?"([ !#-[\]-\uFFFF]*)", ?"categoryId": ?(0|-?[1-9]\d{0,14})(?:, ?"status": ?"(available|pending|sold)")?\}$/;

/** As from JSON, in a tenth of the time; undefined for a line that is written in any other way. */
export function readPlainLine(line: string): LineContent | undefined {
  const match = PLAIN.exec(line);
  if (match === null) return undefined;
  const [, id, name, categoryId, status] = match;
  return {
    id: id === undefined ? undefined : Number(id),
    newPet: { name, categoryId: Number(categoryId), status },
  };
}
