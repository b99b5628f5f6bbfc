import { ApiFailure } from '../../api/api-failure.js';
import type { ChosenFile } from './dropped-files.js';
import { tarGz } from './tar.js';

/**
 * Returns the archive to upload: the chosen archive, or an archive made from the files of a folder.
 * @throws ApiFailure in the API's form if there is nothing to send
 */
export async function archiveOf(files: readonly ChosenFile[]): Promise<Blob> {
  const [first] = files;
  if (first === undefined) throw faultOfFiles('Choose a folder or an archive.');
  if (first.path === '') return first.file;
  const entries = files
    .map(({ path, file }) => ({ path: withoutTop(path), contents: file }))
    .filter(({ path }) => !isLeftOut(path));
  if (!entries.some(({ path }) => path === 'index.html'))
    throw faultOfFiles('The folder has no index.html at its top level.');
  try {
    return await tarGz(entries);
  } catch (error) {
    throw error instanceof RangeError ? faultOfFiles(error.message) : error;
  }
}

/** Paths do not include the chosen folder itself. */
function withoutTop(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

/**
 * The gateway ignores paths with a part that begins with a dot. Sending them would waste most of the upload for a
 * repository, for example.
 */
function isLeftOut(path: string): boolean {
  return path.split('/').some((part, at) => part.startsWith('.') && !(at === 0 && part === '.well-known'));
}

function faultOfFiles(message: string): ApiFailure {
  return new ApiFailure('invalid_request', message, 400, { fields: [{ field: 'files', message }] });
}
