import { mongo, Schema, type Connection } from 'mongoose';
import { collectionShape, type WantedIndex } from '../../platform/mongo/collection-shape.js';
import { asRead, FIELDS, toDocument, toPet, type PetDocument } from './mongo-pet-document.js';
import { createPetsReads, READ_INDEXES } from './mongo-pets-reads.js';
import { MAX_EXAMINED } from './page.js';
import { PET_STATUSES, type Pet } from './pet.js';
import {
  ExternalIdTaken,
  PetExists,
  type InsertOutcome,
  type PetsStore,
  type PetUpdate,
} from './pets-store.js';
import { MAX_ATTEMPTS, updateEach } from './mongo-pet-updates.js';
import { meets, type ChangeOutcome, type PetCondition } from './pet-change.js';
import { singleInserts } from './single-inserts.js';
import { serviceUnavailable } from '../../lib/errors.js';
import { currentSession } from '../../platform/mongo/connection.js';
import { INT64_MIN } from '../../lib/int64.js';
import { isDuplicateKey, unconfirmedWrite } from '../../platform/mongo/error-codes.js';

const petSchema = new Schema<PetDocument>(
  {
    _id: BigInt,
    name: { type: String, required: true },
    categoryId: { type: BigInt, required: true },
    status: { type: String, enum: PET_STATUSES, required: true },
    projectId: String,
    externalId: String,
    createdAt: { type: Date, required: true },
    search: { type: [String], required: true },
    changedIn: Schema.Types.ObjectId,
  } satisfies Record<keyof PetDocument, unknown>,
  { versionKey: false },
);
for (const { key, ...options } of Object.values<WantedIndex>(READ_INDEXES)) petSchema.index(key, options);

export const petsCollection = collectionShape('pets', petSchema);

interface SequenceDocument {
  _id: string;
  last: bigint;
}

const sequenceSchema = new Schema<SequenceDocument>({ _id: String, last: BigInt }, { versionKey: false });

/** Set explicitly instead of relying on the server's default: acknowledged pets and reserved ids survive a failover. */
const DURABLY = { writeConcern: { w: 'majority', journal: true } } as const;

/** The pets that one part of a change of many is about. */
const CHANGED_AT_ONCE = 500;

/** Uses the driver directly: the domain has already validated the data, and hydrating costs ten times the query. */
export function createMongoPetsStore(connection: Connection, maxExamined = MAX_EXAMINED): PetsStore {
  const sequences = connection.model<SequenceDocument>('Sequence', sequenceSchema, 'sequences');
  const db = connection.getClient().db(connection.name);
  const pets = db
    // Overrides the read preference in MONGODB_URI: a secondary may not have acknowledged writes yet.
    .collection<PetDocument>(petsCollection.name, { readPreference: 'primary', ignoreUndefined: true });

  const reads = createPetsReads(pets, maxExamined);

  async function reserveIds(count: number): Promise<bigint> {
    const { last } = await sequences
      .findByIdAndUpdate(
        'pets',
        { $inc: { last: BigInt(count) } },
        { upsert: true, returnDocument: 'after', ...DURABLY },
      )
      .lean()
      .orFail();
    return last - BigInt(count) + 1n;
  }

  async function insertEach(
    newPets: readonly Pet[],
    session?: mongo.ClientSession,
  ): Promise<InsertOutcome[]> {
    const outcomes = newPets.map((): InsertOutcome => undefined);
    const options = session === undefined ? DURABLY : { session };
    try {
      if (newPets.length > 0) await pets.insertMany(newPets.map(toDocument), { ordered: false, ...options });
    } catch (error) {
      for (const [index, failure] of insertFailures(error, newPets)) outcomes[index] = failure;
    }
    return outcomes;
  }

  async function updateOne(update: PetUpdate): Promise<ChangeOutcome> {
    const [outcome] = await updateEach(pets, db, [update], currentSession());
    if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('no outcome');
    return outcome;
  }

  /** One attempt is enough unless the pet changes between the read and the removal. */
  async function remove(id: bigint, condition: PetCondition): Promise<ChangeOutcome> {
    const session = currentSession();
    const options = session === undefined ? DURABLY : { session };
    for (let i = 0; i < MAX_ATTEMPTS; i++) {
      const found = await pets.findOne({ _id: id }, { projection: FIELDS, ...(session && { session }) });
      const pet = found === null ? undefined : toPet(found);
      if (pet === undefined || !meets(pet, condition)) return { isDone: false, pet };
      const removed = await pets.findOneAndDelete(asRead(pet), { projection: FIELDS, ...options });
      if (removed !== null) return { isDone: true, pet: toPet(removed) };
    }
    throw serviceUnavailable('The pet is being changed by many clients at once.');
  }

  /** In parts by ascending id, up to the id that was the last at the start: more may be added meanwhile. */
  async function inParts(
    projectId: string,
    signal: AbortSignal,
    run: (filter: mongo.Filter<PetDocument>) => Promise<number>,
  ): Promise<number> {
    // All statuses, so that the index of a project's animals gives them by id.
    const ofProject = { projectId, status: { $in: [...PET_STATUSES] } };
    const hint = READ_INDEXES.project.name;
    const projection = { _id: 1 } as const;
    const [last] = await pets.find(ofProject, { hint, projection, sort: { _id: -1 }, limit: 1 }).toArray();
    let done = 0;
    for (let afterId = INT64_MIN; last !== undefined;) {
      signal.throwIfAborted();
      const found = await pets
        .find(
          { ...ofProject, _id: { $gt: afterId, $lte: last._id } },
          { hint, projection, sort: { _id: 1 }, limit: CHANGED_AT_ONCE, batchSize: CHANGED_AT_ONCE + 1 },
        )
        .toArray();
      const end = found.at(-1);
      if (end === undefined) break;
      done += await run({ projectId, _id: { $in: found.map(({ _id }) => _id) } });
      afterId = end._id;
    }
    return done;
  }

  return {
    removeOf: (projectId, signal) =>
      inParts(projectId, signal, async (filter) => (await pets.deleteMany(filter, DURABLY)).deletedCount),
    handOver: (projectId, signal) =>
      inParts(projectId, signal, async (filter) => {
        const toStore = { $unset: { projectId: true, externalId: true } } as const;
        return (await pets.updateMany(filter, toStore, DURABLY)).modifiedCount;
      }),
    update: (id, changes, condition) => updateOne({ id, changes, condition }),
    isInTransaction: () => currentSession() !== undefined,
    updateEach: (updates) => updateEach(pets, db, updates),
    remove,
    async list(query) {
      const { documents, ...page } = await reads.list(query);
      return { pets: documents.map(toPet), ...page };
    },
    count: (filter) => reads.count(filter),
    async get(id) {
      const found = await pets.findOne({ _id: id }, { projection: FIELDS });
      return found === null ? undefined : toPet(found);
    },
    async getMany(ids) {
      // Fetches all in one batch: the driver's default first batch holds 101.
      const found = await pets
        .find({ _id: { $in: [...new Set(ids)] } }, { projection: FIELDS, batchSize: ids.length + 1 })
        .toArray();
      const byId = new Map(found.map((document) => [document._id, toPet(document)]));
      return ids.map((id) => byId.get(id));
    },
    reserveId: () => reserveIds(1),
    reserveIds,
    async setIdsAside(upTo) {
      const before = await sequences
        .findByIdAndUpdate('pets', { $max: { last: upTo } }, { upsert: true, returnDocument: 'before' })
        .lean();
      return before?.last ?? 0n;
    },
    ...singleInserts(async (pet) => (await insertEach([pet], currentSession()))[0]),
    insertEach: (newPets) => insertEach(newPets),
    async insertMany(newPets, projectId) {
      const first = await reserveIds(newPets.length);
      const createdAt = new Date();
      const made = newPets.map((pet, i): Pet => ({ id: first + BigInt(i), ...pet, projectId, createdAt }));
      const failure = (await insertEach(made)).find((outcome) => outcome !== undefined);
      if (failure !== undefined) throw failure;
      return made;
    },
  };
}

/**
 * Returns the pets that an unordered insertMany did not insert, by their index. The driver reports every failure with
 * one error type: without write errors, the whole call failed; with a write concern error, the inserted pets may not be
 * durable.
 *
 * @throws ApiError service_unavailable, or the error itself, if the failure is not about single pets
 */
export function insertFailures(error: unknown, pets: readonly Pet[]): [index: number, failure: Error][] {
  if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
  if (error.result.getWriteConcernError() !== undefined) throw unconfirmedWrite(error);
  const writeErrors = [error.writeErrors].flat();
  if (writeErrors.length === 0) throw error;
  return writeErrors.map((writeError) => {
    const pet = pets[writeError.index];
    return [
      writeError.index,
      pet !== undefined && isDuplicateKey(writeError) ? takenBy(pet, writeError) : error,
    ];
  });
}

/** Only the message says which index has the key already. */
function takenBy({ id, externalId }: Pet, { errmsg }: mongo.WriteError): Error {
  return externalId !== undefined && errmsg?.includes(' index: _id_ ') !== true
    ? new ExternalIdTaken(externalId)
    : new PetExists(id);
}
