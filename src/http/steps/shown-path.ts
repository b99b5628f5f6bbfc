const MAX_PATH_LENGTH = 200;
/** A path should not contain a key. If it does, the first characters of the key identify it. */
const KEY_IN_PATH = /(pets_(?:live|test)_\w{3})\w+/g;
const INVISIBLE = /[\p{C}\p{Z}]/gu;

/**
 * Returns a function that prepares a path for logs and traces: hides keys and shortens the path to MAX_PATH_LENGTH.
 * @param adminApiKey the configured admin key, which may be any text
 */
export function showPath(adminApiKey: string | undefined): (path: string) => string {
  const hideKeys = (path: string): string => {
    const shown = adminApiKey === undefined ? path : path.replaceAll(adminApiKey, '…');
    return shown.includes('pets_') ? shown.replace(KEY_IN_PATH, '$1…') : shown;
  };
  return (path) => {
    const decoded = path.includes('%') ? decode(path) : path;
    const shown = hideKeys(decoded);
    // The path as sent, unless its encoding hid a key. In that case, line breaks and other invisible characters are
    // encoded again.
    return shortened(shown === decoded ? hideKeys(path) : shown.replace(INVISIBLE, encodeURIComponent));
  };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Part of the path is not valid encoding: decode each valid part, so that no key is overlooked.
    return path.replace(/%[0-7][0-9a-f]/gi, (code) => decodeURIComponent(code));
  }
}

function shortened(path: string): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
}
