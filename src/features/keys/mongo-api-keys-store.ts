import {
  mongo,
  type Connection,
  type QueryFilter,
  type UpdateQuery,
  type UpdateWithAggregationPipeline,
} from 'mongoose';
import { createBatcher } from '../../lib/batcher.js';
import { utcDay, type Clock } from '../../lib/clock.js';
import { PROJECTS_COLLECTION, toProject, type ProjectDocument } from '../projects/mongo-projects-store.js';
import type { Project } from '../projects/project.js';
import { MAX_LIVING_SECRETS, type ApiKey, type ApiKeySecret } from './api-key.js';
import type { ApiKeysStore, KeyUse } from './api-keys-store.js';
import {
  API_KEYS_COLLECTION,
  apiKeySchema,
  toApiKey,
  usageRank,
  type ApiKeyDocument,
} from './mongo-api-key-document.js';
import { createMongoWaitingUses } from './mongo-waiting-uses.js';
import { indexOf, sortOf } from './mongo-api-keys-indexes.js';
import { cursorOf, filterOf, notEndedBy, partsAfter } from './mongo-api-keys-page.js';

const WITH_PROJECT = {
  $lookup: { from: PROJECTS_COLLECTION, localField: 'projectId', foreignField: '_id', as: 'projects' },
};
const HASHES_PER_QUERY = 500;
/** Limits the time of a page: a filter may have to read every key. */
const MAX_READ_MS = 5000;
/**
 * More uses than that wait in mongo-waiting-uses.ts. Also the number of updates of a command, so that none delays others
 * for long.
 */
const USES_AT_ONCE = 500;

/** Longer than a transaction takes. A claim ends so late only if its transaction never commits. */
const CLAIM_MS = 2000;
/** MongoDB's error code. */
const MAX_TIME_EXPIRED = 50;

const nextRevision = { $add: ['$revision', 1] };

/** Drops expired secrets; otherwise a key that is rotated daily would grow without limit. */
function notEnded(now: Date) {
  const ended = { $lte: ['$$this.expiresAt', now] };
  return {
    $filter: {
      input: '$secrets',
      cond: { $not: [{ $and: [{ $ifNull: ['$$this.expiresAt', false] }, ended] }] },
    },
  };
}

export function createMongoApiKeysStore(connection: Connection, clock: Clock): ApiKeysStore {
  const model = connection.model<ApiKeyDocument>('ApiKey', apiKeySchema, API_KEYS_COLLECTION);
  const waitingUses = createMongoWaitingUses(connection, clock);
  const toKey = (document: ApiKeyDocument): ApiKey => toApiKey(document, clock());
  const withUses = async (documents: readonly ApiKeyDocument[]): Promise<ApiKey[]> =>
    (await waitingUses.addTo(documents)).map(toKey);

  async function change(
    filter: QueryFilter<ApiKeyDocument>,
    update: UpdateQuery<ApiKeyDocument> | UpdateWithAggregationPipeline,
  ): Promise<ApiKey | undefined> {
    const after = await model
      .findOneAndUpdate(filter, update, { returnDocument: 'after', updatePipeline: Array.isArray(update) })
      .lean();
    return after === null ? undefined : (await withUses([after]))[0];
  }

  /** Adds a secret to the key that matches, unless it is revoked or expired. The older ones expire at `oldExpireAt`. */
  function addSecret(
    filter: QueryFilter<ApiKeyDocument>,
    secret: ApiKeySecret,
    oldExpireAt: Date,
    ...stages: Exclude<UpdateWithAggregationPipeline[number], undefined>[]
  ): Promise<ApiKey | undefined> {
    const now = new Date(clock());
    const older = {
      // The oldest secret is also the first to expire.
      $slice: [
        {
          $map: {
            input: notEnded(now),
            // $min ignores missing values, so an earlier expiry is kept.
            in: { $mergeObjects: ['$$this', { expiresAt: { $min: ['$$this.expiresAt', oldExpireAt] } }] },
          },
        },
        1 - MAX_LIVING_SECRETS,
      ],
    };
    return change({ ...filter, revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] }, [
      { $set: { secrets: { $concatArrays: [older, [secret]] }, revision: nextRevision } },
      { $unset: 'claim' },
      ...stages,
    ]);
  }

  /** Matches keys that no other transaction has claimed. */
  const unclaimed = (claim: string | undefined) => ({
    $or: [
      { 'claim.until': { $not: { $gt: new Date(clock()) } } },
      ...(claim === undefined ? [] : [{ 'claim.by': claim }]),
    ],
  });

  /** Lookups that arrive during a lookup share the next query. The query of one key costs as much as that of 20. */
  const findDocument = createBatcher<string, (ApiKeyDocument & { projects: ProjectDocument[] }) | undefined>(
    {
      async send(hashes) {
        const found = await model
          .aggregate<ApiKeyDocument & { projects: ProjectDocument[] }>([
            { $match: { 'secrets.hash': { $in: [...new Set(hashes)] } } },
            WITH_PROJECT,
          ])
          .read('primary');
        const byHash = new Map(
          found.flatMap((document) => document.secrets.map(({ hash }) => [hash, document] as const)),
        );
        return hashes.map((hash) => byHash.get(hash));
      },
      sizeOf: () => 1,
      maxSize: HASHES_PER_QUERY,
    },
    clock,
  );

  // Outside the shared query: a document that cannot be read fails only its own key.
  async function findBySecretHash(
    hash: string,
  ): Promise<{ key: ApiKey; project: Project | undefined } | undefined> {
    const document = await findDocument(hash);
    const project = document?.projects.find(({ deletedAt }) => deletedAt == null);
    if (document === undefined || (document.role !== 'admin' && project === undefined)) return undefined;
    return { key: toKey(document), project: project && toProject(project) };
  }

  return {
    async insert(key, plan) {
      const { id, usageToday: _usageToday, ...fields } = key;
      const result = await model.updateOne(
        { _id: id },
        { $setOnInsert: { ...fields, ...(plan && { plan }), revision: 0 } },
        { upsert: true },
      );
      return result.upsertedCount === 1;
    },
    async get(id) {
      const found = await model.findById(id).lean();
      return found === null ? undefined : (await withUses([found]))[0];
    },
    async lock(id, claim) {
      const locked = await change(
        { _id: id, ...unclaimed(claim) },
        // Changes the document: an update without changes would not conflict.
        { $inc: { locks: 1 }, ...(claim !== undefined && { $unset: { claim: 1 } }) },
      );
      if (locked === undefined && (await model.exists({ _id: id })) !== null) restart();
      return locked;
    },
    async claim(id, claim) {
      const until = new Date(clock() + CLAIM_MS);
      try {
        // The driver's collection, because Mongoose would add this to the transaction.
        await model.collection.updateOne(
          { _id: id as never, ...unclaimed(claim) },
          { $set: { claim: { by: claim, until } } },
          { maxTimeMS: CLAIM_MS },
        );
      } catch (error) {
        // A transaction under way takes too long. This one conflicts with it, and claims again.
        if (!(error instanceof mongo.MongoServerError) || error.code !== MAX_TIME_EXPIRED) throw error;
      }
    },
    async requireUnclaimed(id, claim) {
      if ((await model.exists({ _id: id, $nor: [unclaimed(claim)] })) !== null) restart();
    },
    getMany: async (ids) => withUses(await model.find({ _id: { $in: [...ids] } }).lean()),
    findBySecretHash,
    list: async (filter) => withUses(await model.find(filter).sort({ createdAt: 1, _id: 1 }).lean()),
    async page({ first, filter, orderBy, after, nowMs }) {
      const found: ApiKeyDocument[] = [];
      for (const part of partsAfter(after, orderBy)) {
        const missing = first + 1 - found.length;
        // MongoDB treats a limit of 0 as no limit.
        if (missing === 0) break;
        const next = await model
          .find({ $and: [filterOf(filter, nowMs), part] })
          .sort(sortOf(orderBy))
          // An explicit index: the planner prefers to sort the keys that match a filter, until they are many.
          .hint(indexOf(filter, orderBy))
          .limit(missing)
          .maxTimeMS(MAX_READ_MS)
          .lean();
        found.push(...next);
      }
      const shown = found.slice(0, first);
      // The cursor is the position in the index.
      const cursors = shown.map((document) => cursorOf(document, orderBy));
      return {
        entries: (await withUses(shown)).map((key, i) => ({ key, cursor: cursors[i] ?? '' })),
        hasMore: found.length > first,
      };
    },
    async countActive(projectIds, nowMs) {
      const counts = await model.aggregate<{ _id: string; active: number }>([
        { $match: { projectId: { $in: [...projectIds] }, ...notEndedBy(new Date(nowMs)) } },
        { $group: { _id: '$projectId', active: { $sum: 1 } } },
      ]);
      return new Map(counts.map(({ _id, active }) => [_id, active]));
    },
    countCreated: (projectId, since) => model.countDocuments({ projectId, createdAt: { $gt: since } }),
    async setPlan(projectId, plan) {
      // Being near the limit of the old plan means nothing on the new plan.
      await model.updateMany({ projectId }, { $set: { plan }, $unset: { nearLimitDay: 1 } });
    },
    addSecret: (id, secret, oldExpireAt) =>
      addSecret({ _id: id, role: { $ne: 'staff' } }, secret, oldExpireAt),
    invite: (id, secret, invitation, at) =>
      addSecret({ _id: id, role: 'staff' }, secret, at, { $set: { invitation } }),
    acceptInvitation: (id, secret, tokenHash, at) =>
      addSecret(
        {
          _id: id,
          disabledAt: null,
          'invitation.tokenHash': tokenHash,
          'invitation.expiresAt': { $gt: at },
        },
        secret,
        at,
        { $unset: 'invitation' },
      ),
    update: (id, { name, expiresAt, allowedOrigins }) =>
      change(
        { _id: id, revokedAt: null },
        {
          $set: {
            ...(name !== undefined && { name }),
            ...(expiresAt != null && { expiresAt }),
            ...(allowedOrigins !== undefined && { allowedOrigins: [...allowedOrigins] }),
          },
          ...(expiresAt === null && { $unset: { expiresAt: 1 } }),
          $inc: { revision: 1 },
        },
      ),
    disable: (id, at) =>
      change({ _id: id, revokedAt: null }, [
        { $set: { disabledAt: { $ifNull: ['$disabledAt', at] }, revision: nextRevision } },
        { $unset: 'claim' },
      ]),
    enable: (id) =>
      change({ _id: id, revokedAt: null }, { $unset: { disabledAt: 1 }, $inc: { revision: 1 } }),
    revoke: (id, at) =>
      change({ _id: id }, [
        { $set: { revokedAt: { $ifNull: ['$revokedAt', at] }, revision: nextRevision } },
        { $unset: ['claim', 'invitation'] },
      ]),
    raiseEpochs: (id, windows) =>
      change(
        { _id: id },
        {
          $inc: { ...Object.fromEntries(windows.map((name) => [`epochs.${name}`, 1])), revision: 1 },
          ...(windows.includes('day') && { $unset: { usageRank: 1, nearLimitDay: 1 } }),
        },
      ),
    ban(id, nowMs, { banSeconds, maxBanSeconds }) {
      const day = utcDay(nowMs);
      const earlier = { $cond: [{ $eq: ['$ban.day', day] }, '$ban.offences', 0] };
      const seconds = {
        $min: [maxBanSeconds, { $multiply: [banSeconds, { $pow: [2, { $min: [earlier, 30] }] }] }],
      };
      return change({ _id: id, $or: [{ ban: null }, { 'ban.until': { $lte: new Date(nowMs) } }] }, [
        {
          $set: {
            ban: {
              until: { $add: [new Date(nowMs), { $multiply: [1000, seconds] }] },
              offences: { $add: [earlier, 1] },
              day,
            },
            revision: nextRevision,
          },
        },
      ]);
    },
    liftBan: (id, at) =>
      change({ _id: id }, [
        {
          $set: {
            ban: {
              $cond: [
                { $gt: ['$ban.until', at] },
                { $mergeObjects: ['$ban', { until: at }] },
                { $ifNull: ['$ban', '$$REMOVE'] },
              ],
            },
            revision: nextRevision,
          },
        },
      ]),
    async remove(ids) {
      await model.deleteMany({ _id: { $in: [...ids] } });
    },
    async recordUse(uses) {
      const isMany = uses.length > USES_AT_ONCE;
      // Lists filter by keys near their limit and by rejected keys, so these do not wait.
      const waits = ({ nearLimitDay, rejectedDay }: KeyUse) =>
        isMany && nearLimitDay === undefined && rejectedDay === undefined;
      await writeUses(uses.filter((use) => !waits(use)));
      if (isMany) await waitingUses.add(uses.filter(waits));
      await waitingUses.writeDue(writeUses);
    },
  };

  async function writeUses(uses: readonly KeyUse[]): Promise<void> {
    for (let i = 0; i < uses.length; i += USES_AT_ONCE) {
      const part = uses.slice(i, i + USES_AT_ONCE);
      const { matchedCount } = await updateUses(part.map(useOf));
      // Some keys were deleted, or reset since they were counted: the count is outdated, the time is not.
      if (matchedCount < part.length)
        await updateUses(part.map(({ day: _day, nearLimitDay: _nearLimitDay, ...use }) => useOf(use)));
    }
  }

  /** Does not wait for a majority: a use that a failover loses is replaced by the next one. */
  function updateUses(updates: readonly ReturnType<typeof useOf>[]) {
    return model.collection.bulkWrite(
      updates.map((updateOne) => ({ updateOne })) as unknown as Parameters<
        typeof model.collection.bulkWrite
      >[0],
      { ordered: false, writeConcern: { w: 1 } },
    );
  }
}

/** One update of a key: each costs MongoDB two entries in most of the key's indexes. */
function useOf({ keyId: _id, lastUsedAt, day, nearLimitDay, rejectedDay }: KeyUse) {
  const latest = {
    lastUsedAt,
    ...(day !== undefined && { usageRank: usageRank(day.startsAtMs, day.used) }),
    ...(nearLimitDay !== undefined && { nearLimitDay }),
    ...(rejectedDay !== undefined && { rejectedDay }),
  };
  return {
    filter: { _id, ...(day !== undefined && { 'epochs.day': day.epoch }) },
    update: { $max: latest },
  };
}

/** Makes the driver start the transaction again, as after a conflict. */
function restart(): never {
  throw new mongo.MongoServerError({
    message: 'another transaction has claimed the key',
    errorLabels: ['TransientTransactionError'],
  });
}
