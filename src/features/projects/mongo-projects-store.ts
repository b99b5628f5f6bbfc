import { Schema, type Connection, type Model } from 'mongoose';
import { badCursor, decodeCursor, encodeCursor } from '../../lib/cursor.js';
import type { Redirect } from './redirects.js';
import { collectionShape } from '../../platform/mongo/collection-shape.js';
import { containing } from '../../platform/mongo/containing.js';
import { LIMIT_FIELDS, PLAN_IDS, type CustomQuota, type PlanId } from '../plans/plans.js';
import { SITE_ANIMALS, type Project, type SiteAnimals } from './project.js';
import type { ProjectsStore } from './projects-store.js';

export interface ProjectDocument {
  _id: string;
  name: string;
  slug: string;
  plan: PlanId;
  customQuota?: CustomQuota | null;
  createdAt: Date;
  liveDeployId?: string | null;
  siteAnimals?: SiteAnimals | null;
  primaryDomain?: string | null;
  redirects?: Redirect[];
  domainsLapsedAt?: Date | null;
  /** How many deploys the project ever had; also the number of the latest deploy. */
  deployCount?: number | null;
  /** The value of `deployCount` at the last rollback: no deploy up to this number goes live with its upload. */
  deployCountAtRollback?: number | null;
  /** Set when the project is deleted. From then on it does not exist for callers, and its remaining data is removed. */
  deletedAt?: Date | null;
  /** When a process should continue the removal. */
  removalDueAt?: Date | null;
  /** Whether the removal keeps the pets in the catalogue. */
  arePetsHandedOver?: boolean | null;
  /** Incremented by every change that affects requests; the change feed watches it. */
  revision: number;
}

const schema = new Schema<ProjectDocument>(
  {
    _id: String,
    name: { type: String, required: true },
    slug: { type: String, required: true },
    plan: { type: String, enum: PLAN_IDS, required: true },
    customQuota: { type: Object.fromEntries(LIMIT_FIELDS.map((field) => [field, Number])), _id: false },
    createdAt: { type: Date, required: true },
    liveDeployId: String,
    siteAnimals: { type: String, enum: SITE_ANIMALS },
    primaryDomain: String,
    redirects: { type: [{ from: String, to: String, status: Number, _id: false }], default: undefined },
    domainsLapsedAt: Date,
    deployCount: Number,
    deployCountAtRollback: Number,
    deletedAt: Date,
    removalDueAt: Date,
    arePetsHandedOver: Boolean,
    revision: { type: Number, default: 0 },
  },
  { versionKey: false },
);

const BY_CREATION = { createdAt: 1, _id: 1 } as const;
const BY_PLAN = { plan: 1, ...BY_CREATION } as const;
schema.index(BY_CREATION);
schema.index(BY_PLAN);
// Not unique, because the slugs collection ensures uniqueness.
schema.index({ slug: 1 });
schema.index({ removalDueAt: 1 }, { sparse: true });

/** Every slug ever assigned, with its project; never deleted. */
interface SlugDocument {
  _id: string;
  projectId: string;
  givenAt: Date;
}

const slugSchema = new Schema<SlugDocument>(
  { _id: String, projectId: { type: String, required: true }, givenAt: { type: Date, required: true } },
  { versionKey: false },
);

/** Limits the time of a page: a filter may have to read every project. */
const MAX_READ_MS = 5000;

type Changes = { [Field in keyof ProjectDocument]?: ProjectDocument[Field] | undefined };

export const PROJECTS_COLLECTION = 'projects';
export const projectsCollection = collectionShape(PROJECTS_COLLECTION, schema);
export const slugsCollection = collectionShape('slugs', slugSchema);
/** Part of every query: a deleted project is invisible. */
export const NOT_DELETED = { deletedAt: null } as const;

/** One model for all stores that write to projects, so that they share a transaction. */
export function projectModel(connection: Connection): Model<ProjectDocument> {
  const known = connection.models['Project'] as Model<ProjectDocument> | undefined;
  return known ?? connection.model<ProjectDocument>('Project', schema, PROJECTS_COLLECTION);
}

export function createMongoProjectsStore(connection: Connection): ProjectsStore {
  const model = projectModel(connection);
  const slugs = connection.model<SlugDocument>('Slug', slugSchema, slugsCollection.name);

  /** Sets these fields; removes fields that are undefined. */
  async function change(id: string, fields: Changes): Promise<Project | undefined> {
    const entries = Object.entries(fields);
    const set = entries.filter(([, value]) => value !== undefined);
    const unset = entries.filter(([, value]) => value === undefined).map(([name]) => [name, 1]);
    const update = {
      ...(set.length > 0 && { $set: Object.fromEntries(set) as Partial<ProjectDocument> }),
      ...(unset.length > 0 && { $unset: Object.fromEntries(unset) as Record<string, 1> }),
      $inc: { revision: 1 },
    };
    const after = await model
      .findOneAndUpdate({ _id: id, ...NOT_DELETED }, update, { returnDocument: 'after' })
      .lean();
    return after === null ? undefined : toProject(after);
  }

  return {
    async insert({ id, redirects = [], ...fields }) {
      await model.create([
        { _id: id, ...fields, ...(redirects.length > 0 && { redirects: [...redirects] }) },
      ]);
    },
    async get(id) {
      const found = await model.findOne({ _id: id, ...NOT_DELETED }).lean();
      return found === null ? undefined : toProject(found);
    },
    // Increments the revision: an update without changes would not conflict.
    lock: (id) => change(id, {}),
    async claimSlug(slug, projectId, at) {
      const { upsertedCount } = await slugs.updateOne(
        { _id: slug },
        { $setOnInsert: { projectId, givenAt: at } },
        { upsert: true },
      );
      return upsertedCount === 1;
    },
    async getBySlug(slug) {
      const found = await model.findOne({ slug, ...NOT_DELETED }).lean();
      return found === null ? undefined : toProject(found);
    },
    hadSlug: async (slug) => (await slugs.exists({ _id: slug })) !== null,
    getMany: async (ids) =>
      (await model.find({ _id: { $in: [...ids] }, ...NOT_DELETED }).lean()).map(toProject),
    list: async () => (await model.find(NOT_DELETED).sort({ createdAt: 1, _id: 1 }).lean()).map(toProject),
    async *live() {
      for await (const found of model
        .find({ liveDeployId: { $ne: null }, ...NOT_DELETED })
        .lean()
        .cursor())
        yield toProject(found);
    },
    async page({ first, filter: { plan, nameContains }, after }) {
      const found = await model
        .find({
          ...NOT_DELETED,
          ...(plan !== undefined && { plan }),
          ...(nameContains !== undefined && { name: containing(nameContains) }),
          ...(after !== undefined && afterFilter(after)),
        })
        .sort({ createdAt: 1, _id: 1 })
        .hint(plan === undefined ? BY_CREATION : BY_PLAN)
        .limit(first + 1)
        .maxTimeMS(MAX_READ_MS)
        .lean();
      return {
        entries: found
          .slice(0, first)
          .map((document) => ({ project: toProject(document), cursor: cursorOf(document) })),
        hasMore: found.length > first,
      };
    },
    setPlan: (id, { plan, customQuota, domainsLapsedAt }) =>
      change(id, { plan, customQuota, domainsLapsedAt }),
    update: (id, changes) => change(id, changes),
    setPrimaryDomain: (id, primaryDomain) => change(id, { primaryDomain }),
    setRedirects: (id, redirects) => change(id, { redirects: [...redirects] }),
    delete: (id, at, pets) =>
      change(id, {
        deletedAt: at,
        removalDueAt: at,
        ...(pets === 'handOver' && { arePetsHandedOver: true }),
      }),
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
  const { siteAnimals, primaryDomain, redirects, domainsLapsedAt } = document;
  return {
    id: _id,
    name,
    slug,
    plan,
    createdAt,
    ...(liveDeployId != null && { liveDeployId }),
    ...(siteAnimals != null && { siteAnimals }),
    ...(primaryDomain != null && { primaryDomain }),
    ...(redirects != null && { redirects: redirects.map(({ from, to, status }) => ({ from, to, status })) }),
    ...(domainsLapsedAt != null && { domainsLapsedAt }),
    ...(customQuota && {
      customQuota: Object.fromEntries(
        LIMIT_FIELDS.map((field) => [field, customQuota[field]]),
      ) as unknown as CustomQuota,
    }),
  };
}
