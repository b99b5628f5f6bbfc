/** The part of a file name between its last `.` or `-` and its extensions, of which it may have two (`.js.map`). */
const LAST_PART =
  /[.-]([A-Za-z0-9_]{8,64}|[A-Za-z0-9_-]{8})\.[A-Za-z][A-Za-z0-9]{0,9}(?:\.[A-Za-z][A-Za-z0-9]{0,9})?$/;
const PAGE = /\.html?$/i;
/** Parcel, webpack and others. */
const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
/** esbuild and Angular: eight characters of base32. */
const BASE32 = /^[A-Z2-7]{8}$/;
/** Rollup and Vite: eight characters of base64url, here with letters of both cases. */
const BASE64 = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{8}$/;
/** Excludes words and dates: `deadbeef`, `20261125`, `RELEASE2`, `Chapter1`. */
const LETTER_AFTER_DIGIT = /[0-9].*[A-Za-z]/;

/**
 * Whether a file name contains a hash of the file's content, as build tools write it: `app.3f2a9c1b.js`,
 * `index-BfJ2kq9_.css`, `chunk-5QX7ZJ4W.js.map`. Browsers never ask again for such a file, so the rule is strict: a hash
 * that it does not recognise costs a revalidation; a name that only looks like a hash would hide later versions of the
 * file. Pages never count.
 */
export function isHashedName(path: string): boolean {
  if (PAGE.test(path)) return false;
  const [, part = ''] = LAST_PART.exec(path.slice(path.lastIndexOf('/') + 1)) ?? [];
  return LETTER_AFTER_DIGIT.test(part) && (HEX.test(part) || BASE32.test(part) || BASE64.test(part));
}
