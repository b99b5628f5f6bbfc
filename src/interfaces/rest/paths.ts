import { BASE_PATH } from '../../http/versioning/api-version.js';

export const PETS_PATH = `${BASE_PATH}/pets`;
/** What the id of one pet follows. */
export const ONE_PET_PATH = `${PETS_PATH}/`;
