import type { Connection, mongo } from 'mongoose';
import { usageRank } from '../../../src/features/keys/mongo-api-key-document.js';
import { NO_RESETS } from '../../../src/features/plans/window.js';
import { rawDatabase } from '../../support/raw-database.js';

const DAY_MS = 86_400_000;
const PROJECTS = 1000;
const KEYS_PER_PROJECT = 100;
/** A page has at most 100 projects. The keys of the first have a year of usage, the other projects a month. */
const PROJECTS_WITH_USAGE = 100;
const DAYS = 366;
const DAYS_OF_OTHERS = 30;
const DOMAINS = 50;
const PROJECTS_WITH_DEPLOYS = 12;
/** The number of the live one. Number 1 is the owner's own. */
const DEPLOYS = 12;
const FILES = 500;
const AUDIT_RECORDS = 2000;
const DOCUMENTS_AT_ONCE = 2000;
/** A day of a busy key: operations with several statuses. */
const GROUPS = ['rest listPets 200', 'rest listPets 429', 'rest getPet 200', 'rest getPet 404'].concat([
  'rest createPet 201',
  'graphql pets 200',
  'graphql petsConnection 200',
  'graphql several 200',
]);

/** What the requests of a search name. */
export interface Crowd {
  projectId: string;
  keyId: string;
  domainId: string;
  deployId: string;
}

/**
 * Fills the database of a gateway: 1,000 projects with 100 keys each, a year of usage of a project and its keys,
 * and for the first projects full lists of domains, deploys and changes.
 * @param own the project that an owner's requests are about
 */
export async function fillCrowded(gateway: { databaseName: string }, own: string): Promise<Crowd> {
  const raw = await rawDatabase(gateway);
  const fill = (name: string, documents: Iterable<object>) => insertAll(raw, name, documents);
  const projectIds = [own, ...Array.from({ length: PROJECTS - 1 }, (_, i) => `crowd_${i}`)];
  const keyIds = (project: string) =>
    Array.from({ length: KEYS_PER_PROJECT }, (_, i) => `key_${project}_${i}`);
  const nowMs = Date.now();
  const days = Array.from({ length: DAYS }, (_, ago) =>
    new Date(nowMs - ago * DAY_MS).toISOString().slice(0, 10),
  );

  function* projects() {
    for (const [i, _id] of projectIds.entries())
      if (_id !== own)
        yield {
          _id,
          name: `Crowd ${i}`,
          slug: `crowd-${i}`,
          plan: 'business',
          createdAt: new Date(nowMs - DAYS * DAY_MS + i),
          revision: 0,
        };
  }
  function* keys() {
    for (const projectId of projectIds)
      for (const [i, _id] of keyIds(projectId).entries())
        yield {
          _id,
          name: `Key ${i}`,
          role: 'server',
          projectId,
          plan: 'business',
          secrets: [{ hash: _id, start: 'pets_live_abcd' }],
          allowedOrigins: [],
          createdAt: new Date(nowMs - i * 1000),
          lastUsedAt: new Date(nowMs - i),
          usageRank: usageRank(nowMs, i),
          epochs: NO_RESETS,
          revision: 0,
        };
  }
  function* usage() {
    const groups = Object.fromEntries(
      GROUPS.map((name, i) => [name, { requests: 5000 + i, cost: 5000 + i }]),
    );
    const cost = GROUPS.length * 5000;
    const dayOf = (of: string, day: string, projectId?: string) => ({
      _id: `${of} ${day}`,
      of,
      ...(projectId !== undefined && { projectId }),
      day,
      groups,
      cost,
      bans: 0,
      refusals: refusals(nowMs),
      endsAt: new Date(Date.parse(day) + DAY_MS),
    });
    for (const day of days) {
      yield dayOf(own, day);
      for (const id of keyIds(own)) yield dayOf(id, day, own);
    }
    for (const day of days.slice(0, DAYS_OF_OTHERS))
      for (const id of projectIds.slice(1, PROJECTS_WITH_USAGE)) yield dayOf(id, day);
  }
  function* domains() {
    for (const projectId of projectIds.slice(0, PROJECTS_WITH_USAGE))
      for (let i = 0; i < DOMAINS; i++)
        yield {
          _id: `dom_${projectId}_${i}`,
          projectId,
          name: `shop${i}.${projectId.replace('_', '-').toLowerCase()}.example`,
          unicode: `shop${i}.${projectId}.example`,
          registrable: `${projectId}.example`,
          isApex: false,
          label: `shop${i}`,
          createdAt: new Date(nowMs),
          ownershipToken: 'x'.repeat(32),
          ownershipRequired: false,
          holds: false,
          dns: { state: 'pending', failures: 0 },
          certificate: { state: 'none', failures: 0 },
          status: 'pending',
          fence: 0,
          revision: 0,
        };
  }
  function* deploys() {
    for (const projectId of projectIds.slice(0, PROJECTS_WITH_DEPLOYS))
      for (let number = 2; number <= DEPLOYS; number++)
        yield {
          _id: `dep_${projectId}_${number}`,
          projectId,
          number,
          state: 'ready',
          createdAt: new Date(nowMs - number),
          createdBy: { role: 'admin' },
          uploadExpiresAt: new Date(nowMs),
          fileCount: FILES,
          sizeBytes: FILES,
          files: Array.from({ length: FILES }, (_, i) => ({
            path: `assets/images/${i % 7 === number % 7 ? number : ''}picture-${i}.webp`,
            sha256: `${number % 2}${i}`.padStart(64, '0'),
            sizeBytes: 1,
            contentType: 'image/webp',
          })),
        };
  }
  function* changes() {
    for (let i = 0; i < AUDIT_RECORDS; i++)
      yield {
        at: new Date(nowMs - i),
        actor: { keyId: `gone_${i}`, role: 'owner' },
        action: 'apiKey.update',
        projectId: own,
        apiKeyId: `gone_too_${i}`,
        before: { name: `Old ${i}`, expiresAt: null },
        after: { name: `New ${i}`, expiresAt: '2030-01-01T00:00:00.000Z' },
      };
  }
  await Promise.all([
    fill('projects', projects()),
    fill('apiKeys', keys()),
    fill('usage', usage()),
    fill('domains', domains()),
    fill('deploys', deploys()),
    fill('audit', changes()),
  ]);
  await raw
    .collection('projects')
    .updateMany({}, [{ $set: { liveDeployId: { $concat: ['dep_', '$_id', `_${DEPLOYS}`] } } }]);
  await raw.close();
  return {
    projectId: own,
    keyId: keyIds(own)[0] ?? '',
    domainId: `dom_${own}_0`,
    deployId: `dep_${own}_2`,
  };
}

function refusals(nowMs: number) {
  return [1, 2].map((i) => ({
    at: new Date(nowMs - i),
    code: 'rate_limit_exceeded',
    message: 'The minute limit is used up.',
    door: 'rest',
    operation: 'listPets',
    window: 'minute',
    limit: 5000,
    cost: 1,
    resetAt: new Date(nowMs),
  }));
}

/** Without waiting for the journal; the count of the collection shows that all has arrived. */
async function insertAll(raw: Connection, name: string, documents: Iterable<object>): Promise<void> {
  const collection = raw.collection(name) as unknown as mongo.Collection;
  // One scan builds all indexes at the end, in place of an entry in each for every document.
  const indexes = (await collection.indexes()).filter((index) => index.name !== '_id_');
  await collection.dropIndexes();
  const before = await collection.countDocuments();
  let count = 0;
  let part: object[] = [];
  const write = () => collection.insertMany(part, { ordered: false, writeConcern: { w: 1, journal: false } });
  for (const document of documents) {
    part.push(document);
    count += 1;
    if (part.length < DOCUMENTS_AT_ONCE) continue;
    await write();
    part = [];
  }
  if (part.length > 0) await write();
  await collection.createIndexes(indexes.map(({ v: _v, ns: _ns, ...index }) => index));
  const after = await collection.countDocuments();
  if (after - before !== count) throw new Error(`${name}: ${after - before} of ${count} documents`);
}
