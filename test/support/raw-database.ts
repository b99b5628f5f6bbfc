import type { Connection } from 'mongoose';
import { connectMongo } from '../../src/platform/mongo/connection.js';

/** The database of a test gateway, past everything that the gateway would do to an answer. */
export function rawDatabase({ databaseName }: { databaseName: string }): Promise<Connection> {
  return connectMongo({
    uri: process.env['TEST_MONGODB_URI'] ?? '',
    defaultDatabase: databaseName,
    databaseSuffix: '',
    selectionTimeoutMs: 60_000,
  });
}
