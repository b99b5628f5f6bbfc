import type { Connection } from 'mongoose';
import { ACME_ACCOUNTS_COLLECTION } from '../certificates/mongo-acme-accounts.js';
import { DOMAINS_COLLECTION } from './mongo-domains-store.js';

/** Returns the ids of the encryption keys that stored secrets are sealed with, sorted. Reads indexes only. */
export async function usedKeyIds(connection: Connection): Promise<string[]> {
  const db = connection.getClient().db(connection.name);
  const ids = await Promise.all([
    db.collection(DOMAINS_COLLECTION).distinct('certificate.current.privateKey.keyId'),
    db.collection(DOMAINS_COLLECTION).distinct('certificate.issuance.privateKey.keyId'),
    // One document for each authority.
    db.collection(ACME_ACCOUNTS_COLLECTION).distinct('key.keyId'),
  ]);
  return [
    ...new Set(
      ids
        .flat()
        .filter((id) => id !== null)
        .map(String),
    ),
  ].sort();
}
