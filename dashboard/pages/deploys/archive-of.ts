import { ApiFailure } from '../../api/api-failure.js';
import { tarGz } from './tar.js';

/**
 * What goes to the gateway: an archive as it was chosen, or one made of the files of a folder.
 * @throws ApiFailure, as the API would say it, where there is nothing to send
 */
export async function archiveOf(files: readonly File[]): Promise<Blob> {
  const [first] = files;
  if (first === undefined) throw faultOfFiles('Choose a folder or an archive.');
  // A file that was chosen by itself has no path.
  if (first.webkitRelativePath === '') return first;
  const entries = files
    .map((file) => ({ path: withoutTop(file.webkitRelativePath), contents: file }))
    .filter(({ path }) => !isLeftOut(path));
  if (!entries.some(({ path }) => path === 'index.html'))
    throw faultOfFiles('There is no index.html at the top of the folder.');
  try {
    return await tarGz(entries);
  } catch (error) {
    throw error instanceof RangeError ? faultOfFiles(error.message) : error;
  }
}

/** The folder that was chosen is not part of the paths in it. */
function withoutTop(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

/** What begins with a dot the gateway leaves out, and a repository, say, would be most of what is sent. */
function isLeftOut(path: string): boolean {
  return path.split('/').some((part, at) => part.startsWith('.') && !(at === 0 && part === '.well-known'));
}

function faultOfFiles(message: string): ApiFailure {
  return new ApiFailure('invalid_request', message, 400, { fields: [{ field: 'files', message }] });
}
