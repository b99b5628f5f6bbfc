import { mongo } from 'mongoose';
import { serviceUnavailable } from '../../lib/errors.js';
import { isDuplicateKey } from '../../platform/mongo/error-codes.js';
import type { Pet } from './pet.js';
import { PetExists } from './pets-store.js';

/**
 * The pets that an unordered insertMany did not insert, by their place in it. The driver tells every failure by one
 * kind of error: without write errors in it, the whole call failed; with a write concern error, what it did insert is
 * not known to be durable.
 *
 * @throws ApiError service_unavailable, or the error itself, when it is no single pet's
 */
export function insertFailures(error: unknown, pets: readonly Pet[]): [index: number, failure: Error][] {
  if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
  if (error.result.getWriteConcernError() !== undefined)
    throw serviceUnavailable('The database could not confirm the write in time.', error);
  const writeErrors = [error.writeErrors].flat();
  if (writeErrors.length === 0) throw error;
  return writeErrors.map((writeError) => {
    const pet = pets[writeError.index];
    return [
      writeError.index,
      pet !== undefined && isDuplicateKey(writeError) ? new PetExists(pet.id) : error,
    ];
  });
}
