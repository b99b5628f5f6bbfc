import { BASE_PATH } from '../../http/versioning/api-version.js';

export const PETS_PATH = `${BASE_PATH}/pets`;
/** The path before the id of one pet. */
export const ONE_PET_PATH = `${PETS_PATH}/`;

/** Whether a path names one pet. The id may be any text. */
export function isOnePetPath(path: string): boolean {
  const { length } = ONE_PET_PATH;
  return path.length > length && path.startsWith(ONE_PET_PATH) && !path.includes('/', length);
}
