import { randomBytes } from 'node:crypto';
import { rawDatabase } from './raw-database.js';

export interface DeafUser {
  /** What connects while this runs does so as this user. */
  during: <T>(run: () => Promise<T>) => Promise<T>;
  drop: () => Promise<void>;
}

/** A user of a test gateway's database who may do everything but open change streams. */
export async function withoutChangeStreams(gateway: { databaseName: string }): Promise<DeafUser> {
  const raw = await rawDatabase(gateway);
  const admin = raw.getClient().db('admin');
  const user = `deaf_${randomBytes(6).toString('hex')}`;
  const ofDocuments = ['find', 'insert', 'update', 'remove'];
  const actions = [...ofDocuments, 'createIndex', 'createCollection', 'listCollections', 'listIndexes'];
  await admin.command({
    createRole: user,
    privileges: [{ resource: { db: gateway.databaseName, collection: '' }, actions }],
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
