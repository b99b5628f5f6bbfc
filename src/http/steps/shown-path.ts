const MAX_PATH_LENGTH = 200;
/** A key has no business in a path; should one get there all the same, its first characters tell which. */
const KEY_IN_PATH = /(pets_(?:live|test)_\w{3})\w+/g;
const INVISIBLE = /[\p{C}\p{Z}]/gu;

/**
 * A path as logs and traces may have it: without keys, and not longer than people read.
 * @param adminApiKey the configured one, which may be any text
 */
export function showPath(adminApiKey: string | undefined): (path: string) => string {
  const hideKeys = (path: string): string => {
    const shown = adminApiKey === undefined ? path : path.replaceAll(adminApiKey, '…');
    return shown.includes('pets_') ? shown.replace(KEY_IN_PATH, '$1…') : shown;
  };
  return (path) => {
    const decoded = path.includes('%') ? decode(path) : path;
    const shown = hideKeys(decoded);
    // As it was sent, unless there was something to hide behind an encoding; then line breaks and the like are encoded again.
    return shortened(shown === decoded ? hideKeys(path) : shown.replace(INVISIBLE, encodeURIComponent));
  };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not all of it is: each part that is must not be overlooked.
    return path.replace(/%[0-7][0-9a-f]/gi, (code) => decodeURIComponent(code));
  }
}

function shortened(path: string): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
}
