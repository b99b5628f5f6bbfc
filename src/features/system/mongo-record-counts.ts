import type { Connection } from 'mongoose';
import { API_KEYS_COLLECTION } from '../keys/mongo-api-key-document.js';
import { PROJECTS_COLLECTION } from '../projects/mongo-projects-store.js';

/** How many records there are, as MongoDB knows without counting; after a crash it may be off by some for a while. */
export function createMongoRecordCounts(connection: Connection) {
  const count = (name: string) => () => connection.collection(name).estimatedDocumentCount();
  return { countProjects: count(PROJECTS_COLLECTION), countApiKeys: count(API_KEYS_COLLECTION) };
}
