import type { Connection } from 'mongoose';
import { API_KEYS_COLLECTION } from '../keys/mongo-api-key-document.js';
import { PROJECTS_COLLECTION } from '../projects/mongo-projects-store.js';

/** Record counts from MongoDB's metadata, without counting. After a crash they can be slightly wrong for a while. */
export function createMongoRecordCounts(connection: Connection) {
  const count = (name: string) => () => connection.collection(name).estimatedDocumentCount();
  return { countProjects: count(PROJECTS_COLLECTION), countApiKeys: count(API_KEYS_COLLECTION) };
}
