import type { Connection } from 'mongoose';

/** The names of the collections that the gateway writes, sorted. System collections and views are left out. */
export async function collectionNames(connection: Connection): Promise<string[]> {
  const db = connection.getClient().db(connection.name);
  const found = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  return found
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.'))
    .sort();
}
