const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;
/** What follows the last `.` or `-`. A hash of base64url may contain a `-`, so the last eight characters count too. */
const LAST_PARTS = [/[.-](\w{8,64})$/, /[.-]([\w-]{8})$/];
const PAGE = /\.html?$/i;
/** Parcel, webpack and others. */
const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Files that only build tools name. People name photographs and documents `car-Model-3X.jpg`. */
const BUILT = /\.(?:js|mjs|css|map|wasm|woff2?)$/i;
/** esbuild and Angular: eight characters of base32. */
const BASE32 = /^[A-Z2-7]{8}$/;
/** Rollup and Vite: eight characters of base64url, here with letters of both cases. */
const BASE64 = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_-]{8}$/;
/** Excludes words and dates: `deadbeef`, `20261125`, `RELEASE2`, `Chapter1`. */
const hasLetterAfterDigit = (part: string) => {
  const digit = part.search(/[0-9]/);
  return digit !== -1 && /[A-Za-z]/.test(part.slice(digit));
};

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
  // A file may have two extensions, as `.js.map`.
  const hashes = BUILT.test(name) ? [HEX, BASE32, BASE64] : [HEX];
  const endsWithHash = (text: string) =>
    !UUID.test(text) &&
    LAST_PARTS.some((last) => {
      const [, part = ''] = last.exec(text) ?? [];
      return hasLetterAfterDigit(part) && hashes.some((hash) => hash.test(part));
    });
  return stem !== name && (endsWithHash(stem) || endsWithHash(stem.replace(EXTENSION, '')));
}
