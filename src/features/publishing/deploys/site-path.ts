export const MAX_PATH_BYTES = 255;
export const MAX_PATH_DEPTH = 20;
/**
 * NFC makes a third of a text at best (UAX 15, section 9), so that what is longer is too long in any case. Combining marks
 * are put in order in time that grows with the square of their number: minutes for the longest name that a tar can have.
 */
const MAX_GIVEN_LENGTH = 3 * MAX_PATH_BYTES;

/** What becomes of one name in an archive or a folder: a path in the site (in NFC), left out on purpose, or refused. */
export type PathVerdict = { path: string } | { skipped: true } | { fault: string };

/**
 * Reads the name of an entry as a path in a site: relative, with `/`, in Unicode NFC. A leading `./` and the
 * `/` at the end of a folder are what tar writes. What begins with a dot is left out, but for `.well-known/`.
 */
export function readPath(name: string): PathVerdict {
  // U+FFFD is what the reader makes of bytes that are no UTF-8.
  if (/[\p{Cc}\p{Surrogate}\uFFFD]/u.test(name))
    return { fault: 'has a control character in its name, or a name that is not UTF-8' };
  if (name.includes('\\')) return { fault: 'has a backslash in its name' };
  if (/^[a-z]:/i.test(name)) return { fault: 'begins with a drive letter' };
  if (name.startsWith('/')) return { fault: 'is an absolute path' };
  const given = name.replace(/^\.\//, '').replace(/\/$/, '');
  if (given === '' || given === '.') return { skipped: true };
  const segments = given.split('/');
  if (segments.includes('..')) return { fault: 'leads out of the folder with ..' };
  if (segments.includes('') || segments.includes('.')) return { fault: 'has an empty part in its path' };
  if (segments.some((segment, i) => segment.startsWith('.') && !(i === 0 && segment === '.well-known')))
    return { skipped: true };
  const path = given.length > MAX_GIVEN_LENGTH ? undefined : given.normalize('NFC');
  if (path === undefined || Buffer.byteLength(path) > MAX_PATH_BYTES)
    return { fault: `has a path longer than ${MAX_PATH_BYTES} bytes` };
  if (segments.length > MAX_PATH_DEPTH) return { fault: `lies deeper than ${MAX_PATH_DEPTH} folders` };
  return { path };
}

/** The same for two paths that a file system which ignores case, or a careless person, would take for one. */
export function foldPath(path: string): string {
  return path.toUpperCase().toLowerCase().normalize('NFC');
}
