import { Schema, type Connection, type QueryFilter } from 'mongoose';
import type { Actor } from '../../audit/audit-record.js';
import type { Clock } from '../../../lib/clock.js';
import { collectionShape } from '../../../platform/mongo/collection-shape.js';
import { NOT_DELETED, projectModel, type ProjectDocument } from '../../projects/mongo-projects-store.js';
import { projectNotFound } from '../../projects/projects-service.js';
import type { Deploy, DeployState, SiteFile } from './deploy.js';
import { isHashedName } from '../sites/hashed-name.js';
import type { DeploysStore } from './deploys-store.js';
import { createMongoDeployFiles } from './mongo-deploy-files.js';

interface DeployDocument {
  _id: string;
  projectId: string;
  number: number;
  /** `expired` is not stored: it follows from `uploadExpiresAt` and the clock. */
  state: Exclude<DeployState, 'expired'>;
  createdAt: Date;
  createdBy: Actor;
  message?: string | null;
  spa: boolean;
  uploadExpiresAt: Date;
  fileCount?: number | null;
  sizeBytes?: number | null;
  problem?: string | null;
  notLiveReason?: string | null;
  files?: SiteFile[];
  /** Written when the deploy goes live, so that its concurrent removal is a write conflict. */
  liveAt?: Date | null;
}

const schema = new Schema<DeployDocument>(
  {
    _id: String,
    projectId: { type: String, required: true },
    number: { type: Number, required: true },
    state: { type: String, required: true },
    createdAt: { type: Date, required: true },
    createdBy: { type: { keyId: String, role: String }, _id: false, required: true },
    message: String,
    spa: { type: Boolean, required: true },
    uploadExpiresAt: { type: Date, required: true },
    fileCount: Number,
    sizeBytes: Number,
    problem: String,
    notLiveReason: String,
    files: {
      type: [
        {
          path: String,
          sha256: String,
          sizeBytes: Number,
          contentType: String,
          isRewritten: Boolean,
          _id: false,
        },
      ],
      default: undefined,
    },
    liveAt: Date,
  },
  { versionKey: false },
);
schema.index({ projectId: 1, number: -1 }, { unique: true });

const DEPLOYS_COLLECTION = 'deploys';
export const deploysCollection = collectionShape(DEPLOYS_COLLECTION, schema);
/**
 * How many deploys to remove together with their files, which can be 26 MB each. More than a project gets at a time, so
 * that a lowered DEPLOYS_KEPT takes effect.
 */
const REMOVED_AT_ONCE = 2;
const WITHOUT_FILES = { files: 0 } as const;
const ROLL_BACK = 'To make this deploy live, roll back to it.';

/**
 * @param kept how many deploys of a project remain available for rollback; older ones are removed, but never the live
 * one
 */
export function createMongoDeploysStore(
  connection: Connection,
  { kept }: { kept: number },
  clock: Clock,
): DeploysStore {
  const model = connection.model<DeployDocument>('Deploy', schema, DEPLOYS_COLLECTION);
  const projects = projectModel(connection);
  const stored = createMongoDeployFiles(connection, clock);
  const toDeploy = (document: DeployDocument): Deploy => deployOf(document, clock());

  /**
   * Raises the revision, which announces the change to every process that caches the project or its site. Until the
   * transaction ends, other changes of the project's live deploy are write conflicts.
   * @throws ApiError not_found
   */
  async function lockProject(projectId: string): Promise<ProjectDocument> {
    const project = await projects
      .findOneAndUpdate(
        { _id: projectId, ...NOT_DELETED },
        { $inc: { revision: 1 } },
        { returnDocument: 'after' },
      )
      .lean();
    return project ?? projectNotFound(projectId);
  }

  /** Undefined if the upload of this deploy makes it live. */
  async function reasonNotToGoLive(number: number, project: ProjectDocument): Promise<string | undefined> {
    const live = await model.findById(project.liveDeployId, { number: 1 }).lean();
    if (live !== null && live.number > number)
      return `Deploy ${live.number}, which is newer, was live when the upload of this deploy ended. ${ROLL_BACK}`;
    if ((project.deployCountAtRollback ?? 0) >= number)
      return `The site was rolled back after this deploy was created. ${ROLL_BACK}`;
    return undefined;
  }

  /**
   * Marks, in all ready deploys of the project, the files with a hashed name whose path has other content in another of
   * these deploys, or had when it was marked.
   * @param files the files of one of these deploys
   */
  async function markRewritten(projectId: string, files: readonly SiteFile[]): Promise<void> {
    const hashed = files.map(({ path }) => path).filter(isHashedName);
    if (hashed.length === 0) return;
    const ready = { projectId, state: 'ready' } as const;
    const rewritten = await model.aggregate<Pick<SiteFile, 'path'>>([
      { $match: ready },
      { $project: { files: 1 } },
      { $unwind: '$files' },
      { $replaceRoot: { newRoot: '$files' } },
      { $match: { path: { $in: hashed } } },
      { $group: { _id: '$path', contents: { $addToSet: '$sha256' }, marks: { $max: '$isRewritten' } } },
      { $match: { $or: [{ 'contents.1': { $exists: true } }, { marks: true }] } },
      { $project: { _id: 0, path: '$_id' } },
    ]);
    if (rewritten.length === 0) return;
    const isMarked = { 'file.path': { $in: rewritten.map(({ path }) => path) } };
    await model.updateMany(
      ready,
      { $set: { 'files.$[file].isRewritten': true } },
      { arrayFilters: [isMarked] },
    );
  }

  const newestReady = (filter: { projectId: string; number?: { $lt: number } }) =>
    model
      .findOne({ ...filter, state: 'ready' }, WITHOUT_FILES)
      .sort({ number: -1 })
      .lean();

  async function liveDocument(projectId: string): Promise<DeployDocument | undefined> {
    const [found] = await projects.aggregate<{ live: DeployDocument[] }>([
      { $match: { _id: projectId, ...NOT_DELETED } },
      { $lookup: { from: DEPLOYS_COLLECTION, localField: 'liveDeployId', foreignField: '_id', as: 'live' } },
      { $project: { live: 1 } },
    ]);
    return found?.live[0];
  }

  return {
    async insert({ id, ...fields }) {
      const project = await projects
        .findOneAndUpdate(
          { _id: fields.projectId, ...NOT_DELETED },
          { $inc: { deployCount: 1 } },
          { returnDocument: 'after' },
        )
        .lean();
      if (project?.deployCount == null) return undefined;
      const document = { _id: id, ...fields, number: project.deployCount, state: 'awaiting_upload' as const };
      await model.create([document]);
      return toDeploy(document);
    },
    countUnfinished: (projectId) =>
      model.countDocuments({
        projectId,
        state: { $ne: 'ready' },
        uploadExpiresAt: { $gt: new Date(clock()) },
      }),
    async get(id) {
      const found = await model.findById(id, WITHOUT_FILES).lean();
      return found === null ? undefined : toDeploy(found);
    },
    getMany: async (ids) =>
      (await model.find({ _id: { $in: [...ids] } }, WITHOUT_FILES).lean()).map(toDeploy),
    async readyBefore({ projectId, number }) {
      const found = await newestReady({ projectId, number: { $lt: number } });
      return found === null ? undefined : toDeploy(found);
    },
    async filesOf(ids) {
      const found = await model
        .find({ _id: { $in: [...ids] } })
        .select<Pick<DeployDocument, '_id' | 'files'>>('files.path files.sha256')
        .lean();
      return new Map(found.flatMap(({ _id, files }) => (files === undefined ? [] : [[_id, files]])));
    },
    async page(projectId, first, beforeNumber) {
      const found = await model
        .find(
          { projectId, ...(beforeNumber !== undefined && { number: { $lt: beforeNumber } }) },
          WITHOUT_FILES,
        )
        .sort({ number: -1 })
        .limit(first + 1)
        .lean();
      return { deploys: found.slice(0, first).map(toDeploy), hasMore: found.length > first };
    },
    async copyFiles({ id, projectId }, sha256s) {
      const newest = await newestReady({ projectId });
      return newest === null ? new Set() : stored.copy(newest._id, id, sha256s);
    },
    saveFiles: (deployId, blobs) => stored.save(deployId, blobs),
    discardFiles: (deployId) => stored.discard(deployId),
    async publish(id, files) {
      const awaiting = await model.findOne({ _id: id, state: 'awaiting_upload' }, WITHOUT_FILES).lean();
      if (awaiting === null) return undefined;
      const { projectId, number } = awaiting;
      const sha256s = files.map(({ sha256 }) => sha256);
      if (!(await stored.keep(id, sha256s))) return 'files gone';
      const notLiveReason = await reasonNotToGoLive(number, await lockProject(projectId));
      const isLive = notLiveReason === undefined;
      if (isLive) await projects.updateOne({ _id: projectId }, { $set: { liveDeployId: id } });
      const ready = {
        state: 'ready' as const,
        fileCount: files.length,
        sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        ...(isLive ? { liveAt: new Date(clock()) } : { notLiveReason }),
      };
      await model.updateOne({ _id: id }, { $set: { ...ready, files: [...files] } });
      await markRewritten(projectId, files);
      return toDeploy({ ...awaiting, ...ready });
    },
    async fail(id, problem) {
      await model.updateOne({ _id: id, state: 'awaiting_upload' }, { $set: { state: 'failed', problem } });
    },
    async setLive(projectId, id) {
      const found = await model
        .findOneAndUpdate(
          { _id: id, projectId, state: 'ready' },
          { $set: { liveAt: new Date(clock()) }, $unset: { notLiveReason: 1 } },
          { returnDocument: 'after', projection: WITHOUT_FILES },
        )
        .lean();
      if (found === null) return undefined;
      const { deployCount } = await lockProject(projectId);
      await projects.updateOne(
        { _id: projectId },
        { $set: { liveDeployId: id, deployCountAtRollback: deployCount } },
      );
      return toDeploy(found);
    },
    async live(projectId) {
      const found = await liveDocument(projectId);
      return found && toDeploy(found);
    },
    async liveSite(projectId) {
      const found = await liveDocument(projectId);
      return found && { deployId: found._id, spa: found.spa, files: found.files ?? [] };
    },
    blob: (deployId, sha256) => stored.get(deployId, sha256),
    async removeOldDeploys(projectId, deployId) {
      const project = await projects.findById(projectId, { liveDeployId: 1 }).lean();
      const beyondKept = (filter: QueryFilter<DeployDocument>) =>
        model
          .find({ projectId, ...filter }, { _id: 1 })
          .sort({ number: -1 })
          .skip(kept);
      const used = [project?.liveDeployId, deployId];
      const beyond = await beyondKept({ state: 'ready' })
        .limit(REMOVED_AT_ONCE + used.length)
        .lean();
      const ready = beyond.filter(({ _id }) => !used.includes(_id)).slice(0, REMOVED_AT_ONCE);
      // Their files expire, so there are few or none.
      const over = await beyondKept({
        state: { $ne: 'ready' },
        uploadExpiresAt: { $lte: new Date(clock()) },
      }).lean();
      const ids = [...ready, ...over].map(({ _id }) => _id);
      if (ids.length === 0) return;
      await model.deleteMany({ _id: { $in: ids } });
      await stored.remove(ids);
    },
    async removeOfProject(projectId) {
      for (;;) {
        const found = await model.find({ projectId }, { _id: 1 }).limit(REMOVED_AT_ONCE).lean();
        if (found.length === 0) return;
        const ids = found.map(({ _id }) => _id);
        // The files first, so that a process killed in between leaves none without its deploy.
        await stored.remove(ids);
        await model.deleteMany({ _id: { $in: ids } });
      }
    },
  };
}

function deployOf(document: DeployDocument, nowMs: number): Deploy {
  const { _id, projectId, number, state, createdAt, createdBy, spa, uploadExpiresAt } = document;
  const { message, fileCount, sizeBytes, problem, notLiveReason } = document;
  return {
    id: _id,
    projectId,
    number,
    state: state === 'awaiting_upload' && uploadExpiresAt.getTime() <= nowMs ? 'expired' : state,
    createdAt,
    createdBy: { keyId: createdBy.keyId ?? undefined, role: createdBy.role },
    spa,
    uploadExpiresAt,
    ...(message != null && { message }),
    ...(fileCount != null && { fileCount }),
    ...(sizeBytes != null && { sizeBytes }),
    ...(problem != null && { problem }),
    ...(notLiveReason != null && { notLiveReason }),
  };
}
