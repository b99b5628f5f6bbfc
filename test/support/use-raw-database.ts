import type { Connection } from 'mongoose';
import { freshDatabase, type TestDatabase } from './database.js';
import { rawDatabase } from './raw-database.js';

/** A database of the test file's own and a connection to it, past every gateway; after the tests both end. */
export function useRawDatabase(): { database: TestDatabase; raw: () => Connection } {
  const database = freshDatabase();
  let raw: Connection;
  beforeAll(async () => {
    raw = await rawDatabase({ databaseName: database.dbName });
  });
  afterAll(async () => {
    await raw.close();
    await database.drop();
  });
  return { database, raw: () => raw };
}
