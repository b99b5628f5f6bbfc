import { mongo } from 'mongoose';
import { serviceUnavailable } from '../../lib/errors.js';
import { unconfirmedWrite } from '../../platform/mongo/error-codes.js';
import { onceMoreAfterFailover, type RejectedUpdate } from '../../platform/mongo/repeat-command.js';
import { asRead, FIELDS, toPet, toUpdate, type PetDocument } from './mongo-pet-document.js';
import type { Pet } from './pet.js';
import { meets, type ChangeOutcome, type PetChanges } from './pet-change.js';
import type { PetUpdate, UpdateOutcome } from './pets-store.js';

/** How often a change is attempted if others change the pet between the read and the write. */
export const MAX_ATTEMPTS = 10;

/** In a command's own words, see DURABLY in mongo-pets-store.ts. A transaction has a write concern of its own. */
const DURABLY = { writeConcern: { w: 'majority', j: true } };

/** All updates of one pet, as one step. */
interface Step {
  from: Pet;
  changes: PetChanges;
  /** What becomes of each update once the step is made, by the update's place. */
  outcomes: (readonly [place: number, outcome: ChangeOutcome])[];
}

interface UpdateResult {
  n: number;
  writeErrors?: RejectedUpdate[];
}

/**
 * Makes all updates with one read and one write. A step requires that its pet is as the read found it, and marks it with
 * the number of the write. So if the write made fewer steps than it was sent, a second read says which, also after a
 * connection that broke. The others are attempted again. Plain commands, because MongoDB stores a record of its own for
 * each update of a retryable write.
 */
export async function updateEach(
  pets: mongo.Collection<PetDocument>,
  db: mongo.Db,
  updates: readonly PetUpdate[],
  transaction?: mongo.ClientSession,
): Promise<UpdateOutcome[]> {
  const session = transaction && { session: transaction };
  const outcomes = new Map<number, UpdateOutcome>();

  async function stepsFor(places: readonly number[]): Promise<Step[]> {
    const ids = [...new Set(places.flatMap((place) => updates[place]?.id ?? []))];
    const found = await pets
      .find({ _id: { $in: ids } }, { projection: FIELDS, batchSize: ids.length + 1, ...session })
      .toArray();
    const known = new Map(found.map((document) => [document._id, toPet(document)]));
    const steps = new Map<bigint, Step>();
    for (const place of places) {
      const update = updates[place];
      if (update === undefined) continue;
      const { id, changes, condition } = update;
      const step = steps.get(id);
      const from = known.get(id);
      const pet = from && { ...from, ...step?.changes };
      const isDone = pet !== undefined && meets(pet, condition);
      const outcome = { isDone, pet };
      if (step !== undefined) {
        step.outcomes.push([place, outcome]);
        if (isDone) Object.assign(step.changes, changes);
      } else if (isDone && from !== undefined)
        steps.set(id, { from, changes: { ...changes }, outcomes: [[place, outcome]] });
      else outcomes.set(place, outcome);
    }
    return [...steps.values()];
  }

  /** @returns the steps that were not made because their pet was changed meanwhile */
  async function make(steps: readonly Step[]): Promise<readonly Step[]> {
    const changedIn = new mongo.ObjectId();
    const statements = steps.map(({ from, changes }) => ({
      q: asRead(from),
      // Each field in the filter has an index: MongoDB would compare plans for each statement.
      hint: '_id_',
      u: { $set: { ...toUpdate(changes), changedIn } },
    }));
    const command = {
      update: pets.collectionName,
      updates: statements,
      ordered: false,
      ...(session === undefined && DURABLY),
    };
    const { n, writeErrors = [] } = await send(command).catch((error: unknown) => {
      throw error instanceof mongo.MongoWriteConcernError ? unconfirmedWrite(error) : error;
    });
    for (const error of writeErrors) {
      const refused = new mongo.MongoServerError(error);
      for (const [place] of steps[error.index]?.outcomes ?? []) outcomes.set(place, refused);
    }
    const refused = new Set(writeErrors.map(({ index }) => index));
    const sent = steps.filter((_step, i) => !refused.has(i));
    const made = n === sent.length ? sent : await madeIn(changedIn, sent);
    for (const step of made) for (const [place, outcome] of step.outcomes) outcomes.set(place, outcome);
    return sent.filter((step) => !made.includes(step));
  }

  async function send(command: mongo.Document): Promise<UpdateResult> {
    const run = async () =>
      (await db.command(command, { ignoreUndefined: true, ...session })) as UpdateResult;
    // A transaction is repeated as a whole.
    return session === undefined ? onceMoreAfterFailover(run) : run();
  }

  async function madeIn(changedIn: mongo.ObjectId, steps: readonly Step[]): Promise<readonly Step[]> {
    const filter = { _id: { $in: steps.map(({ from }) => from.id) }, changedIn };
    const found = await pets
      .find(filter, { projection: { _id: 1 }, batchSize: steps.length + 1, ...session })
      .toArray();
    const ids = new Set(found.map(({ _id }) => _id));
    return steps.filter(({ from }) => ids.has(from.id));
  }

  let places: readonly number[] = updates.map((_update, place) => place);
  for (let attempts = 0; places.length > 0 && attempts < MAX_ATTEMPTS; attempts++) {
    const steps = await stepsFor(places);
    const left = steps.length > 0 ? await make(steps) : [];
    places = left.flatMap((step) => step.outcomes.map(([place]) => place));
  }
  const busy = serviceUnavailable('The pet is being changed by many clients at once.');
  return updates.map((_update, place) => outcomes.get(place) ?? busy);
}
