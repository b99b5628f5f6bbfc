/**
 * What the bare servers have in common: the driver alone over the same collection and index as the gateway's, the
 * same write concern (the server's default: majority, journaled), the same JSON. Ids of new pets come from memory,
 * so that a create is one insert and nothing else.
 */
const { MongoClient } = require('mongoose').mongo;

const toPet = ({ _id, name, categoryId, status }) => ({ id: _id, name, categoryId, status });

async function openPets(uri) {
  const client = await new MongoClient(uri).connect();
  const pets = client.db().collection('pets');
  const [last] = await pets.find().sort({ _id: -1 }).limit(1).toArray();
  let lastId = Number(last._id);
  return {
    /** @param status null: of all pets */
    list: async (status, limit) =>
      (
        await pets
          .find(status === null ? {} : { status })
          .sort({ _id: 1 })
          .limit(limit)
          .toArray()
      ).map(toPet),
    async get(id) {
      const found = await pets.findOne({ _id: id });
      return found && toPet(found);
    },
    async create({ name, categoryId, status = 'available' }) {
      const id = (lastId += 1);
      await pets.insertOne({ _id: BigInt(id), name, categoryId: BigInt(categoryId), status });
      return { id, name, categoryId, status };
    },
    async update(id, changes) {
      const updated = await pets.findOneAndUpdate(
        { _id: id },
        { $set: changes },
        { returnDocument: 'after' },
      );
      return updated && toPet(updated);
    },
  };
}

module.exports = { openPets };
