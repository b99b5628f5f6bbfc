import type { Clock } from '../../lib/clock.js';
import type { Pet } from './pet.js';
import type { InsertOutcome, PetsStore, PetUpdate, UpdateOutcome } from './pets-store.js';
import { createBatcher } from '../../lib/batcher.js';
import { singleInserts } from './single-inserts.js';

/** A name has at most 255 characters, so this many pets take less than 2 MB. */
const MAX_GROUP = 1000;

/**
 * Inserts that arrive during another insert are sent together, with one wait for a majority; so are updates, but those of
 * a transaction. Each is acknowledged when its group is durable, never earlier. Failures are reported per pet.
 */
export function withGroupCommit(store: PetsStore, clock: Clock): PetsStore {
  const attempt = createBatcher<Pet, InsertOutcome>(
    { send: (pets) => store.insertEach(pets), sizeOf: () => 1, maxSize: MAX_GROUP },
    clock,
  );
  const update = createBatcher<PetUpdate, UpdateOutcome>(
    { send: (updates) => store.updateEach(updates), sizeOf: () => 1, maxSize: MAX_GROUP },
    clock,
  );
  return {
    ...store,
    ...singleInserts(attempt),
    async update(id, changes, condition) {
      if (store.isInTransaction()) return store.update(id, changes, condition);
      const outcome = await update({ id, changes, condition });
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  };
}
