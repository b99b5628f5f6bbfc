import { mongo } from 'mongoose';
import { serviceUnavailable } from '../../lib/errors.js';
import { isDuplicateKey } from '../../platform/mongo/error-codes.js';
import type { Pet } from './pet.js';
import { PetExists } from './pets-store.js';

/**
 * Returns the pets that an unordered insertMany did not insert, by their index. The driver reports every failure with
 * one error type: without write errors, the whole call failed; with a write concern error, the inserted pets may not be
 * durable.
 *
 * @throws ApiError service_unavailable, or the error itself, if the failure is not about single pets
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
