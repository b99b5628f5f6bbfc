import type { Connection, mongo } from 'mongoose';
import { createApiKeysService } from '../../src/features/keys/api-keys-service.js';
import {
  API_KEYS_COLLECTION,
  usageRank,
  type ApiKeyDocument,
} from '../../src/features/keys/mongo-api-key-document.js';
import { sortOf } from '../../src/features/keys/mongo-api-keys-indexes.js';
import { cursorOf } from '../../src/features/keys/mongo-api-keys-page.js';
import { createMongoApiKeysStore } from '../../src/features/keys/mongo-api-keys-store.js';
import { randomBase62 } from '../../src/lib/random-id.js';
import { systemClock } from '../../src/lib/clock.js';
import {
  createMongoProjectsStore,
  PROJECTS_COLLECTION,
  type ProjectDocument,
} from '../../src/features/projects/mongo-projects-store.js';
import { createProjectsService } from '../../src/features/projects/projects-service.js';
import { prepared } from '../../test/support/prepared.js';
import { copyKey } from '../targets/copy-key.js';
import { AMPLE } from '../targets/gateway-keys.js';
import { PROBED_KEYS, type FilledKeys } from './sizes.js';

const KEYS_PER_INSERT = 5000;
const KEYS_PER_PROJECT = 10;
/** Every other key was used today, so many times at most: of many keys, hundreds share each count. */
const MAX_USAGE = 1000;
const CURSORS = 10;
/** Ids are random base 62: half of them come before this one. */
const MIDDLE_ID = 'key_V';

/** Keys 1 to `count` in projects of ten, their documents copies of one that the gateway's own services make. */
export async function fillWithKeys(
  connection: Connection,
  count: number,
  signal: AbortSignal,
): Promise<FilledKeys> {
  const database = connection.getClient().db(connection.name);
  const projects = database.collection<ProjectDocument>(PROJECTS_COLLECTION);
  const keys = database.collection<ApiKeyDocument>(API_KEYS_COLLECTION);
  const nowMs = systemClock();
  const first = await makeFirst(connection);
  const firstProject = await documentOf(projects, first.projectId);
  const firstKey = await documentOf(keys, first.keyId);

  const secrets = [first.secret];
  const stride = Math.floor(count / PROBED_KEYS);
  let project = firstProject;
  for (let made = 1; made < count; made += KEYS_PER_INSERT) {
    signal.throwIfAborted();
    const newProjects: ProjectDocument[] = [];
    const newKeys: ApiKeyDocument[] = [];
    for (let i = made; i < Math.min(made + KEYS_PER_INSERT, count); i += 1) {
      if (i % KEYS_PER_PROJECT === 0) {
        project = { ...firstProject, _id: `proj_${randomBase62(16)}`, name: `Project of key ${i}` };
        newProjects.push(project);
      }
      const { secret, copy } = copyKey(firstKey);
      if (i % stride === 0 && secrets.length < PROBED_KEYS) secrets.push(secret);
      const usage = usageOf(i);
      newKeys.push({
        ...copy,
        name: `Key number ${i}`,
        projectId: project._id,
        createdAt: new Date(nowMs - count + i),
        ...(usage !== undefined && {
          lastUsedAt: new Date(nowMs - count + i),
          usageRank: usageRank(nowMs, usage),
        }),
      });
    }
    if (newProjects.length > 0) await projects.insertMany(newProjects, { ordered: false });
    await keys.insertMany(newKeys, { ordered: false });
  }
  return { projectId: first.projectId, secrets, usageCursors: await usageCursors(keys, nowMs) };
}

async function makeFirst(
  connection: Connection,
): Promise<{ projectId: string; keyId: string; secret: string }> {
  const projectsStore = createMongoProjectsStore(await prepared(connection));
  const keysStore = createMongoApiKeysStore(connection, systemClock);
  const nobodyListens = () => undefined;
  const projects = createProjectsService(projectsStore, keysStore, nobodyListens, systemClock);
  const apiKeys = createApiKeysService({
    keys: keysStore,
    projects: projectsStore,
    environment: 'production',
    evictHere: nobodyListens,
    clock: systemClock,
  });
  const { id: projectId } = await projects.create({
    name: 'Project of key 0',
    plan: 'enterprise',
    customQuota: AMPLE,
  });
  const { apiKey, secret } = await apiKeys.create({ name: 'Key number 0', projectId });
  return { projectId, keyId: apiKey.id, secret };
}

async function documentOf<T extends { _id: string }>(
  collection: mongo.Collection<T>,
  id: string,
): Promise<mongo.WithId<T>> {
  const found = await collection.findOne({ _id: id } as mongo.Filter<T>);
  if (found === null) throw new Error(`${id} is not there`);
  return found;
}

function usageOf(i: number): number | undefined {
  // 7919 is prime to 1,000: neighbours are far apart, and each count comes equally often.
  return i % 2 === 0 ? undefined : 1 + ((Math.floor(i / 2) * 7919) % MAX_USAGE);
}

/** The last key of each of ten counts, where a page that reads its ties from the first would read most; one unused. */
async function usageCursors(keys: mongo.Collection<ApiKeyDocument>, nowMs: number): Promise<string[]> {
  const down = sortOf('usageToday');
  const up = Object.fromEntries(Object.keys(down).map((field) => [field, 1 as const]));
  const lastOfCounts = await Promise.all(
    Array.from({ length: CURSORS }, (_, i) =>
      keys.findOne(
        { usageRank: { $gte: usageRank(nowMs, ((i + 1) * MAX_USAGE) / CURSORS - 1) } },
        { sort: up },
      ),
    ),
  );
  const unused = await keys.findOne({ usageRank: null, _id: { $lt: MIDDLE_ID } }, { sort: down });
  return [...lastOfCounts, unused].flatMap((found) => (found === null ? [] : cursorOf(found, 'usageToday')));
}
