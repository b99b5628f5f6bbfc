import { Schema, type Connection } from 'mongoose';
import { collectionShape } from '../../../platform/mongo/collection-shape.js';
import type { EncryptionKey } from '../../../lib/encryption-keys.js';
import { fromStored } from '../../../platform/mongo/plain-values.js';
import { generateAccountKey, readAccountKey, type AccountKey } from './account-key.js';
import { createKeyRing, SealError, type KeyRing, type Sealed } from './key-ring.js';

interface AccountDocument {
  /** The URL of the CA's directory. */
  _id: string;
  key: Sealed;
}

export const ACME_ACCOUNTS_COLLECTION = 'acmeAccounts';

const schema = new Schema<AccountDocument>(
  { _id: String, key: { type: Schema.Types.Mixed, required: true } },
  { versionKey: false },
);

export const acmeAccountsCollection = collectionShape(ACME_ACCOUNTS_COLLECTION, schema);

/**
 * Returns the account key for this CA, the same for every gateway on this database. The first gateway to ask creates
 * it.
 * @throws SealError if the key ring cannot open it
 */
export async function accountKeyAt(
  directoryUrl: string,
  connection: Connection,
  keyRing: KeyRing,
): Promise<AccountKey> {
  const model = connection.model<AccountDocument>('AcmeAccount', schema, ACME_ACCOUNTS_COLLECTION);
  const identity = identityOf(directoryUrl);
  const stored = await model
    .findOneAndUpdate(
      { _id: directoryUrl },
      { $setOnInsert: { key: keyRing.seal(generateAccountKey(), identity) } },
      { upsert: true, returnDocument: 'after' },
    )
    .lean();
  const { key } = fromStored(stored);
  const resealed = keyRing.reseal(key, identity);
  if (resealed !== key) await model.updateOne({ _id: directoryUrl }, { $set: { key: resealed } });
  return readAccountKey(keyRing.open(resealed, identity));
}

/** Returns the ids of keys that cannot open an account key, although a key of the same id sealed it. */
export async function findWrongKeys(
  connection: Connection,
  keys: readonly EncryptionKey[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const keyRing = createKeyRing(keys);
  const db = connection.getClient().db(connection.name);
  const accounts = await db.collection<AccountDocument>(ACME_ACCOUNTS_COLLECTION).find().toArray();
  const wrong = accounts.map(fromStored).filter(({ _id, key }) => {
    try {
      keyRing.open(key, identityOf(_id));
      return false;
    } catch (error) {
      return error instanceof SealError && error.code === 'not_authentic';
    }
  });
  return [...new Set(wrong.map(({ key }) => key.keyId))].sort();
}

function identityOf(directoryUrl: string): string {
  return `acme-account/${directoryUrl}`;
}
