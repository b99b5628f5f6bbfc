/**
 * Search for a part of a name, ignoring case. Each pet has one search key for each place in its folded name, and an
 * index over these keys finds a text wherever it is in the name. See README.md for what was measured.
 */

/** The gateway stores this many characters of each part of a name, except of the whole name. */
const KEY_LENGTH = 8;
const ASCII = /^[\0-\x7f]*$/;
const LAST_CODE_POINT = 0x10_ff_ff;
const [FIRST_SURROGATE, AFTER_SURROGATES] = [0xd8_00, 0xe0_00];

/**
 * Folds case and form as Unicode defines them, independent of language: the text in Normalization Form C, each
 * character in upper and then in lower case. So `STRASSE` finds `Straße`, both forms of `é` are equal, and accents
 * count.
 */
export function foldName(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  // Character by character: the lower case of a Σ depends on its place in the word.
  const folded = Array.from(text.normalize('NFC'), (character) =>
    Array.from(character.toUpperCase(), (upper) => upper.toLowerCase()).join(''),
  );
  return folded.join('').normalize('NFC');
}

/** The whole folded name first, then the beginning of what follows each of its characters, each once. */
export function searchKeysOf(name: string): string[] {
  const folded = foldName(name);
  const characters = Array.from(folded);
  const parts = characters.map((_, at) => characters.slice(at, at + KEY_LENGTH).join(''));
  return [...new Set([folded, ...parts.slice(1)])];
}

/** Matches exactly the documents whose `search` contains the text. */
export interface SearchCondition {
  search: { $elemMatch: { $gte: string; $lt?: string } };
  'search.0'?: { $regex: string };
}

/** @param text 1 to 64 characters */
export function containing(text: string): SearchCondition {
  const folded = foldName(text);
  const characters = Array.from(folded);
  const start = characters.slice(0, KEY_LENGTH).join('');
  const end = endOfPrefix(start);
  return {
    search: { $elemMatch: { $gte: start, ...(end !== undefined && { $lt: end }) } },
    ...(characters.length > KEY_LENGTH && {
      'search.0': { $regex: folded.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') },
    }),
  };
}

/**
 * The least text that comes after every text with this prefix, by code points, as MongoDB compares UTF-8. Undefined if
 * there is none.
 */
function endOfPrefix(prefix: string): string | undefined {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (codePoints.at(-1) === LAST_CODE_POINT) codePoints.pop();
  const last = codePoints.pop();
  if (last === undefined) return undefined;
  const next = last + 1;
  codePoints.push(next === FIRST_SURROGATE ? AFTER_SURROGATES : next);
  return String.fromCodePoint(...codePoints);
}
