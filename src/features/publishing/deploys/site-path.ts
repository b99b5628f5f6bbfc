const MAX_PATH_BYTES = 255;
const MAX_PATH_DEPTH = 20;
/**
 * NFC can shorten a text to a third at best (UAX 15, section 9), so a longer name is too long in any case.
 * Normalization sorts combining marks in quadratic time: minutes for the longest name that a tar can contain.
 */
const MAX_GIVEN_LENGTH = 3 * MAX_PATH_BYTES;

/** The result for one entry name: its path in the site (in NFC), skipped on purpose, or rejected. */
export type PathVerdict = { path: string } | { skipped: true } | { fault: string };

/**
 * Reads an entry name as a path in a site: relative, with `/`, in Unicode NFC. Accepts a leading `./` and a folder's
 * trailing `/`, as tar writes them. Skips names with a part that begins with a dot, except a top-level `.well-known/`.
 */
export function readPath(name: string): PathVerdict {
  // The tar reader replaces bytes that are not UTF-8 with U+FFFD.
  if (/[\p{Cc}\p{Surrogate}\uFFFD]/u.test(name))
    return { fault: 'has a control character in its name, or a name that is not UTF-8' };
  if (name.includes('\\')) return { fault: 'has a backslash in its name' };
  if (/^[a-z]:/i.test(name)) return { fault: 'begins with a drive letter' };
  // Python's tarfile names the top folder so, if its name is left out.
  if (name === '/') return { skipped: true };
  if (name.startsWith('/')) return { fault: 'is an absolute path' };
  const given = name.replace(/^\.\//, '').replace(/\/$/, '');
  if (given === '' || given === '.') return { skipped: true };
  const segments = given.split('/');
  if (segments.includes('..')) return { fault: 'has a path that leaves the folder (..)' };
  if (segments.includes('') || segments.includes('.')) return { fault: 'has an empty part in its path' };
  if (segments.some((segment, i) => segment.startsWith('.') && !(i === 0 && segment === '.well-known')))
    return { skipped: true };
  const path = given.length > MAX_GIVEN_LENGTH ? undefined : given.normalize('NFC');
  if (path === undefined || Buffer.byteLength(path) > MAX_PATH_BYTES)
    return { fault: `has a path longer than ${MAX_PATH_BYTES} bytes` };
  if (segments.length > MAX_PATH_DEPTH) return { fault: `is more than ${MAX_PATH_DEPTH} folders deep` };
  return { path };
}

/** Returns the same text for two paths that a case-insensitive file system, or a person, could confuse. */
export function foldPath(path: string): string {
  return path.toUpperCase().toLowerCase().normalize('NFC');
}
