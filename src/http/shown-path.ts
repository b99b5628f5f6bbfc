const MAX_PATH_LENGTH = 200;
/** A key has no business in a path; should one get there all the same, its first characters tell which. */
const KEY_IN_PATH = /(pets_(?:live|test)_\w{3})\w+/g;

/**
 * A path as logs and traces may have it: without keys, and not longer than people read.
 * @param adminApiKey the configured one, which may be any text
 */
export function showPath(adminApiKey: string | undefined): (path: string) => string {
  return (path) => {
    const shown = adminApiKey === undefined ? path : path.replaceAll(adminApiKey, '…');
    return shortened(shown.includes('pets_') ? shown.replace(KEY_IN_PATH, '$1…') : shown);
  };
}

function shortened(path: string): string {
  return path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
}
