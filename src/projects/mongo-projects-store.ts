import { Schema, type Connection } from 'mongoose';
import { badCursor, decodeCursor, encodeCursor } from '../lib/cursor.js';
import { containing } from '../mongo/containing.js';
import { PLAN_IDS, type CustomQuota, type PlanId } from '../quotas/plans.js';
import type { Project } from './project.js';
import type { ProjectsStore } from './projects-store.js';

export interface ProjectDocument {
  _id: string;
  name: string;
  plan: PlanId;
  customQuota?: CustomQuota | null;
  createdAt: Date;
  /** Raised by every change that a request depends on: what watchers look at. */
  revision: number;
}

const schema = new Schema<ProjectDocument>(
  {
    _id: String,
    name: { type: String, required: true },
    plan: { type: String, enum: PLAN_IDS, required: true },
    customQuota: { type: { requestsPerMinute: Number, requestsPerDay: Number }, _id: false },
    createdAt: { type: Date, required: true },
    revision: { type: Number, default: 0 },
  },
  { versionKey: false },
);

const BY_CREATION = { createdAt: 1, _id: 1 } as const;
const BY_PLAN = { plan: 1, ...BY_CREATION } as const;
schema.index(BY_CREATION);
schema.index(BY_PLAN);

export const PROJECTS_COLLECTION = 'projects';

export async function createMongoProjectsStore(connection: Connection): Promise<ProjectsStore> {
  const model = connection.model<ProjectDocument>('Project', schema, PROJECTS_COLLECTION);
  await model.createCollection();
  await model.createIndexes();
  return {
    async insert({ id, ...fields }) {
      await model.create([{ _id: id, ...fields }]);
    },
    async get(id) {
      const found = await model.findById(id).lean();
      return found === null ? undefined : toProject(found);
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

export function toProject({ _id, name, plan, customQuota, createdAt }: ProjectDocument): Project {
  return {
    id: _id,
    name,
    plan,
    createdAt,
    ...(customQuota && {
      customQuota: {
        requestsPerMinute: customQuota.requestsPerMinute,
        requestsPerDay: customQuota.requestsPerDay,
      },
    }),
  };
}
