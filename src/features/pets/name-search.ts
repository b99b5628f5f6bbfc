/**
 * Search for a part of a name, ignoring case. Each pet has one search key for each place in its folded name, and an
 * index over these keys finds a text wherever it is in the name. See README.md for what was measured.
 */

/** The gateway stores this many characters of each part of a name, except of the whole name. */
const KEY_LENGTH = 8;
const ASCII = /^[\0-\x7f]*$/;
const LAST_CODE_POINT = 0x10_ff_ff;
const [FIRST_SURROGATE, AFTER_SURROGATES] = [0xd8_00, 0xe0_00];

/** What Unicode calls combining diacritical marks: the accents of Latin, Greek and Cyrillic letters. */
const ACCENTS = /[\u0300-\u036f]/g;
const APOSTROPHES = /[\u2018\u2019\u02bc]/g;

/**
 * What a search compares: without case, as Unicode maps it independent of language, without accents, and with one form
 * of the apostrophe. So `strasse` finds `Straße`, `zoe` finds `Zoë`, and `o'neill`, typed on a computer, finds `O’Neill`
 * from a phone. Marks of other scripts, which spell vowels, count.
 */
export function foldName(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFD').replace(ACCENTS, '').replace(APOSTROPHES, "'");
  // Character by character: the lower case of a Σ depends on its place in the word. Lower case first: `ẞ` has no upper.
  const folded = Array.from(plain, (character) =>
    Array.from(character.toLowerCase().toUpperCase(), (upper) => upper.toLowerCase()).join(''),
  );
  return folded.join('').normalize('NFD').replace(ACCENTS, '').normalize('NFC');
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
