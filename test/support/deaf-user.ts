import { randomBytes } from 'node:crypto';
import { CHANGES_COLLECTION } from '../../src/features/system/mongo-change-notices.js';
import { rawDatabase } from './raw-database.js';

export interface DeafUser {
  /** What connects while this runs does so as this user. */
  during: <T>(run: () => Promise<T>) => Promise<T>;
  drop: () => Promise<void>;
}

/**
 * A user of a test gateway's database who may do everything but open change streams, and who may read the changes that
 * others publish only with `mayReadChanges`.
 */
export async function withoutChangeStreams(
  gateway: { databaseName: string },
  { mayReadChanges = false } = {},
): Promise<DeafUser> {
  const raw = await rawDatabase(gateway);
  const admin = raw.getClient().db('admin');
  const user = `deaf_${randomBytes(6).toString('hex')}`;
  const ofDocuments = ['find', 'insert', 'update', 'remove'];
  const actions = [...ofDocuments, 'createIndex', 'listIndexes'];
  const found = (await raw.db?.listCollections({}, { nameOnly: true }).toArray()) ?? [];
  const collections = found
    .map(({ name }) => name)
    .filter((name) => mayReadChanges || name !== CHANGES_COLLECTION);
  const { databaseName: db } = gateway;
  await admin.command({
    createRole: user,
    privileges: [
      { resource: { db, collection: '' }, actions: ['createCollection', 'listCollections'] },
      ...collections.map((collection) => ({ resource: { db, collection }, actions })),
    ],
    roles: [],
  });
  await admin.command({ createUser: user, pwd: user, roles: [{ role: user, db: 'admin' }] });
  return {
    async during(run) {
      const server = process.env['TEST_MONGODB_URI'] ?? '';
      process.env['TEST_MONGODB_URI'] = server.replace(/\/\/[^@]*@/, `//${user}:${user}@`);
      try {
        return await run();
      } finally {
        process.env['TEST_MONGODB_URI'] = server;
      }
    },
    async drop() {
      await admin.command({ dropUser: user });
      await admin.command({ dropRole: user });
      await raw.close();
    },
  };
}
