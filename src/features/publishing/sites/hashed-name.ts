const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;
/** What follows the last `.` or `-`. A hash of base64url may contain a `-`, so the last eight characters count too. */
const LAST_PARTS = [/[.-](\w{8,64})$/, /[.-]([\w-]{8})$/];
const PAGE = /\.html?$/i;
/** Parcel, webpack and others. */
const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const UUID_WITHOUT_HYPHENS = /^[0-9a-f]{12}[1-8][0-9a-f]{3}[89ab][0-9a-f]{15}$/i;
/** webpack's default, MD5, SHA-1, SHA-256. A date with a letter, or the id of a database, has another length. */
const WHOLE_HASH_LENGTHS = [20, 32, 40, 64];
/** Longer than a date with its time. */
const LONG = 16;
const YEAR = /(?:19|20)\d\d/;
/** Files that only build tools name. People name photographs and documents `flyer-2026feb1.pdf`. */
const BUILT = /\.(?:js|mjs|css|map|wasm|woff2?)$/i;
/** esbuild and Angular: eight characters of base32. */
const BASE32 = /^[A-Z2-7]{8}$/;
/** The name that esbuild gives what several scripts share. */
const CHUNK = /^chunk-[^-]*$/;
/** Rollup and Vite: eight characters of base64url, here with letters of both cases. */
const BASE64 = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{8}$/;
/** Excludes words and dates: `deadbeef`, `20261125`, `RELEASE2`, `Chapter1`. */
const LETTER_AFTER_DIGIT = /^[^0-9]*[0-9].*[A-Za-z]/;
/** Names of words and numbers have fewer parts: `2026feb1`, `WIN32API` and `Q4Report` have three. */
const MIN_PARTS = 4;

/**
 * Whether a file name contains a hash of the file's content, as build tools write it: `app.3f2a9c1b.js`,
 * `index-BfJ2kq9_.css`, `chunk-5QX7ZJ4W.js.map`. Browsers never ask again for such a file, so the rule is strict: a hash
 * that it does not recognise costs a revalidation; a name that only looks like a hash would hide later versions of the
 * file. Pages never count.
 */
export function isHashedName(path: string): boolean {
  if (PAGE.test(path)) return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const stem = name.replace(EXTENSION, '');
  const isBuilt = BUILT.test(name);
  const endsWithHash = (text: string) =>
    !endsWithUuid(text) &&
    LAST_PARTS.some((last) => {
      const [, part = ''] = last.exec(text) ?? [];
      return LETTER_AFTER_DIGIT.test(part) && (isBuilt ? isBuildHash(part, text) : isWholeHash(part));
    });
  // A file may have two extensions, as `.js.map`.
  return stem !== name && (endsWithHash(stem) || endsWithHash(stem.replace(EXTENSION, '')));
}

function endsWithUuid(text: string): boolean {
  return UUID.test(text.slice(-36)) || UUID_WITHOUT_HYPHENS.test(text.slice(-32));
}

/** @param text the name that ends with the part */
function isBuildHash(part: string, text: string): boolean {
  if (HEX.test(part)) return hasParts(part, /[0-9]+|[A-Za-z]+/g) && (part.length >= LONG || !YEAR.test(part));
  if (BASE32.test(part))
    return CHUNK.test(text) || (hasParts(part, /[0-9]+|[A-Z]+/g) && !hasWordOfCapitals(part));
  if (BASE64.test(part))
    return hasParts(part, /[0-9]+|[A-Z]?[a-z]+|[A-Z]+|[_-]/g) && !/[A-Za-z][a-z]{2}/.test(part);
  return false;
}

function isWholeHash(part: string): boolean {
  return HEX.test(part) && WHOLE_HASH_LENGTHS.includes(part.length);
}

function hasParts(part: string, parts: RegExp): boolean {
  return (part.match(parts)?.length ?? 0) >= MIN_PARTS;
}

function hasWordOfCapitals(part: string): boolean {
  return part.match(/[A-Z]{3,}/g)?.some((letters) => /[AEIOU]/.test(letters)) ?? false;
}
