import { Schema, type Connection } from 'mongoose';
import { collectionShape } from '../../../platform/mongo/collection-shape.js';
import { fromStored } from '../../../platform/mongo/plain-values.js';
import { generateAccountKey, readAccountKey, type AccountKey } from './account-key.js';
import type { KeyRing, Sealed } from './key-ring.js';

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
  const identity = `acme-account/${directoryUrl}`;
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
