import { Schema, type Connection, type Model } from 'mongoose';
import { badCursor, decodeCursor, encodeCursor } from '../lib/cursor.js';
import { containing } from '../mongo/containing.js';
import { PLAN_IDS, type CustomQuota, type PlanId } from '../quotas/plans.js';
import type { Project } from './project.js';
import type { ProjectsStore } from './projects-store.js';

export interface ProjectDocument {
  _id: string;
  name: string;
  slug?: string | null;
  plan: PlanId;
  customQuota?: CustomQuota | null;
  createdAt: Date;
  liveDeployId?: string | null;
  /** How many deploys it ever had: the number of the latest. */
  deployCount?: number | null;
  /** Raised by every change that a request depends on: what watchers look at. */
  revision: number;
}

const schema = new Schema<ProjectDocument>(
  {
    _id: String,
    name: { type: String, required: true },
    slug: String,
    plan: { type: String, enum: PLAN_IDS, required: true },
    customQuota: { type: { requestsPerMinute: Number, requestsPerDay: Number }, _id: false },
    createdAt: { type: Date, required: true },
    liveDeployId: String,
    deployCount: Number,
    revision: { type: Number, default: 0 },
  },
  { versionKey: false },
);

const BY_CREATION = { createdAt: 1, _id: 1 } as const;
const BY_PLAN = { plan: 1, ...BY_CREATION } as const;
schema.index(BY_CREATION);
schema.index(BY_PLAN);
// Not unique: the collection of slugs sees to that. Those without one are found by it too.
schema.index({ slug: 1 });

/** Every slug that was ever given, for whom; never deleted. */
interface SlugDocument {
  _id: string;
  projectId: string;
  givenAt: Date;
}

const slugSchema = new Schema<SlugDocument>(
  { _id: String, projectId: { type: String, required: true }, givenAt: { type: Date, required: true } },
  { versionKey: false },
);

export const PROJECTS_COLLECTION = 'projects';

/** One model for all stores that write to projects, so that they share a transaction. */
export function projectModel(connection: Connection): Model<ProjectDocument> {
  const known = connection.models['Project'] as Model<ProjectDocument> | undefined;
  return known ?? connection.model<ProjectDocument>('Project', schema, PROJECTS_COLLECTION);
}

export async function createMongoProjectsStore(connection: Connection): Promise<ProjectsStore> {
  const model = projectModel(connection);
  const slugs = connection.model<SlugDocument>('Slug', slugSchema, 'slugs');
  await Promise.all([model.createCollection(), slugs.createCollection()]);
  await model.createIndexes();
  return {
    async insert({ id, ...fields }) {
      await model.create([{ _id: id, ...fields }]);
    },
    async get(id) {
      const found = await model.findById(id).lean();
      return found === null ? undefined : toProject(found);
    },
    async claimSlug(slug, projectId, at) {
      const { upsertedCount } = await slugs.updateOne(
        { _id: slug },
        { $setOnInsert: { projectId, givenAt: at } },
        { upsert: true },
      );
      return upsertedCount === 1;
    },
    async getBySlug(slug) {
      const found = await model.findOne({ slug }).lean();
      return found === null ? undefined : toProject(found);
    },
    withoutSlug: async () => (await model.find({ slug: null }).lean()).map(toProject),
    async setSlug(id, slug) {
      await model.updateOne({ _id: id, slug: null }, { $set: { slug }, $inc: { revision: 1 } });
    },
    getMany: async (ids) => (await model.find({ _id: { $in: [...ids] } }).lean()).map(toProject),
    list: async () => (await model.find().sort({ createdAt: 1, _id: 1 }).lean()).map(toProject),
    async page({ first, filter: { plan, nameContains }, after }) {
      const found = await model
        .find({
          ...(plan !== undefined && { plan }),
          ...(nameContains !== undefined && { name: containing(nameContains) }),
          ...(after !== undefined && afterFilter(after)),
        })
        .sort({ createdAt: 1, _id: 1 })
        .hint(plan === undefined ? BY_CREATION : BY_PLAN)
        .limit(first + 1)
        .lean();
      return {
        entries: found
          .slice(0, first)
          .map((document) => ({ project: toProject(document), cursor: cursorOf(document) })),
        hasMore: found.length > first,
      };
    },
    async setPlan(id, plan, customQuota) {
      const change = customQuota === undefined ? { $unset: { customQuota: 1 } } : {};
      const after = await model
        .findByIdAndUpdate(
          id,
          {
            $set: { plan, ...(customQuota && { customQuota }) },
            $inc: { revision: 1 },
            ...change,
          },
          { returnDocument: 'after' },
        )
        .lean();
      return after === null ? undefined : toProject(after);
    },
  };
}

function cursorOf({ createdAt, _id }: ProjectDocument): string {
  return encodeCursor([createdAt.getTime(), _id]);
}

function afterFilter(cursor: string) {
  const [createdAt, id] = decodeCursor(cursor);
  const date = new Date(typeof createdAt === 'number' ? createdAt : NaN);
  if (Number.isNaN(date.getTime()) || typeof id !== 'string') throw badCursor();
  return { createdAt: { $gte: date }, $or: [{ createdAt: { $ne: date } }, { _id: { $gt: id } }] };
}

export function toProject(document: ProjectDocument): Project {
  const { _id, name, slug, plan, customQuota, createdAt, liveDeployId } = document;
  return {
    id: _id,
    name,
    plan,
    createdAt,
    ...(slug != null && { slug }),
    ...(liveDeployId != null && { liveDeployId }),
    ...(customQuota && {
      customQuota: {
        requestsPerMinute: customQuota.requestsPerMinute,
        requestsPerDay: customQuota.requestsPerDay,
      },
    }),
  };
}
