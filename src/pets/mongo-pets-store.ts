import { Schema, type Connection } from 'mongoose';
import { isDuplicateKey } from '../mongo/duplicate-key.js';
import { PET_STATUSES, type Pet, type PetStatus } from './pet.js';
import type { PetsStore } from './pets-store.js';

interface PetDocument {
  _id: bigint;
  name: string;
  categoryId: bigint;
  status: PetStatus;
}

const petSchema = new Schema<PetDocument>(
  {
    _id: BigInt,
    name: { type: String, required: true },
    categoryId: { type: BigInt, required: true },
    status: { type: String, enum: PET_STATUSES, required: true },
  },
  { versionKey: false },
);
petSchema.index({ status: 1, _id: 1 });

interface SequenceDocument {
  _id: string;
  last: bigint;
}

const sequenceSchema = new Schema<SequenceDocument>({ _id: String, last: BigInt }, { versionKey: false });

/** Reads are lean and writes go to the driver: the domain has validated already, hydrating costs ten times the query. */
export async function createMongoPetsStore(connection: Connection): Promise<PetsStore> {
  const pets = connection.model<PetDocument>('Pet', petSchema, 'pets');
  const sequences = connection.model<SequenceDocument>('Sequence', sequenceSchema, 'sequences');
  await pets.createIndexes();

  /** The first of `count` ids in a row. */
  async function reserveIds(count: number): Promise<bigint> {
    const { last } = await sequences
      .findByIdAndUpdate('pets', { $inc: { last: BigInt(count) } }, { upsert: true, returnDocument: 'after' })
      .lean()
      .orFail();
    return last - BigInt(count) + 1n;
  }

  return {
    async list({ limit, status, afterId }) {
      const filter = {
        ...(status !== undefined && { status }),
        ...(afterId !== undefined && { _id: { $gt: afterId } }),
      };
      const found = await pets
        .find(filter)
        .sort({ _id: 1 })
        .limit(limit + 1)
        .lean();
      return { pets: found.slice(0, limit).map(toPet), hasMore: found.length > limit };
    },
    async get(id) {
      const found = await pets.findById(id).lean();
      return found === null ? undefined : toPet(found);
    },
    async getMany(ids) {
      const found = await pets.find({ _id: { $in: [...new Set(ids)] } }).lean();
      const byId = new Map(found.map((document) => [document._id, toPet(document)]));
      return ids.map((id) => byId.get(id));
    },
    reserveId: () => reserveIds(1),
    async insert(pet) {
      await pets.collection.insertOne(toDocument(pet) as never);
    },
    async insertOnce(pet) {
      await pets.collection.insertOne(toDocument(pet) as never).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
    },
    async insertMany(newPets) {
      const first = await reserveIds(newPets.length);
      const made = newPets.map((pet, i): Pet => ({ id: first + BigInt(i), ...pet }));
      if (made.length > 0) await pets.collection.insertMany(made.map(toDocument) as never[]);
      return made;
    },
  };
}

function toPet({ _id, name, categoryId, status }: PetDocument): Pet {
  return { id: _id, name, categoryId, status };
}

function toDocument({ id, name, categoryId, status }: Pet): PetDocument {
  return { _id: id, name, categoryId, status };
}
