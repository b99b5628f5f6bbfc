import { BASE_PATH } from '../../http/versioning/api-version.js';

export const PETS_PATH = `${BASE_PATH}/pets`;
/** What the id of one pet follows. */
export const ONE_PET_PATH = `${PETS_PATH}/`;

/** Whether a path names one pet, by whatever stands for its id. */
export function isOnePetPath(path: string): boolean {
  const { length } = ONE_PET_PATH;
  return path.length > length && path.startsWith(ONE_PET_PATH) && !path.includes('/', length);
}
