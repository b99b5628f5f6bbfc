import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { mongo } from 'mongoose';

export interface TestDatabase {
  /** Names the database, so that it can be given as MONGODB_URI. With credentials. */
  uri: string;
  dbName: string;
  drop(): Promise<void>;
}

/** A database that no other test file uses, in the mongod of the run. */
export function freshDatabase(): TestDatabase {
  const server = process.env['TEST_MONGODB_URI'];
  if (server === undefined)
    throw new Error('TEST_MONGODB_URI is not set: is test/support/global-setup.ts in use?');
  const dbName = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${dbName}`;
  const uri = url.href;
  return {
    uri,
    dbName,
    async drop() {
      const client = new mongo.MongoClient(uri, { runtimeAdapters: { os } });
      try {
        await client.db(dbName).dropDatabase();
      } finally {
        await client.close();
      }
    },
  };
}
