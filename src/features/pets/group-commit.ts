import type { Clock } from '../../lib/clock.js';
import type { Pet } from './pet.js';
import type { InsertOutcome, PetsStore } from './pets-store.js';
import { createBatcher } from './batcher.js';
import { singleInserts } from './single-inserts.js';

/** A name has at most 255 characters, so that this many pets stay below 2 MB. */
const MAX_GROUP = 1000;

/**
 * Inserts that arrive while one is on its way go out together, and a majority is waited for once. Each is
 * acknowledged when the group it was in is durable, never earlier, and its failure is its own.
 */
export function withGroupCommit(store: PetsStore, clock: Clock): PetsStore {
  const attempt = createBatcher<Pet, InsertOutcome>(
    { send: (pets) => store.insertEach(pets), sizeOf: () => 1, maxSize: MAX_GROUP },
    clock,
  );
  return { ...store, ...singleInserts(attempt) };
}
