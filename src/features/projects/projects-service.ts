import { randomBase62 } from '../../lib/random-id.js';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import type { Clock } from '../../lib/clock.js';
import { checkName, checkNamePart } from '../../lib/check-name.js';
import { checkPlan } from '../plans/check-plan.js';
import { DEFAULT_PLAN, PLANS, type CustomQuota, type PlanId } from '../plans/plans.js';
import { claimSlug } from './slug.js';
import type { PetsOfDeleted } from './project-removals.js';
import type { Project } from './project.js';
import type { ProjectChanges, ProjectsPage, ProjectsQuery, ProjectsStore } from './projects-store.js';

export interface CreateProject {
  name: string;
  plan?: PlanId | undefined;
  customQuota?: CustomQuota | undefined;
}

export interface ProjectsService {
  /** @throws ApiError invalid_request */
  create(input: CreateProject): Promise<Project>;
  /**
   * Keeps the current counts. The new limits apply from the next request.
   * @throws ApiError invalid_request; not_found
   */
  changePlan(id: string, plan: PlanId, customQuota?: CustomQuota): Promise<Project>;
  /** Keeps the slug, and so the address of the site. @throws ApiError invalid_request; not_found */
  update(id: string, changes: ProjectChanges): Promise<Project>;
  /** @throws ApiError not_found */
  get(id: string): Promise<Project>;
  getBySlug(slug: string): Promise<Project | undefined>;
  /**
   * Deletes the project permanently: it no longer exists for callers, and its data is removed.
   * @param name the project's name, as a guard against a wrong id
   * @param pets what becomes of its pets; they are removed unless said
   * @throws ApiError invalid_request if the name differs; not_found
   */
  delete(id: string, name: string, pets?: PetsOfDeleted): Promise<Project>;
  list(): Promise<Project[]>;
  /** Returns the projects that exist, in no particular order. */
  getMany(ids: readonly string[]): Promise<Project[]>;
  page(query: ProjectsQuery): Promise<ProjectsPage>;
}

/** Keys store the plan of their project, so that lists can filter by plan. */
export interface PlansOfKeys {
  setPlan(projectId: string, plan: PlanId): Promise<void>;
}

export function createProjectsService(
  store: ProjectsStore,
  keys: PlansOfKeys,
  evictHere: (change: { projectId: string }) => void,
  clock: Clock,
): ProjectsService {
  return {
    async create({ name, plan = DEFAULT_PLAN, customQuota }) {
      const id = `proj_${randomBase62(16)}`;
      const fields = { name: checkName(name), ...checkPlan(plan, customQuota) };
      const createdAt = new Date(clock());
      const slug = await claimSlug(
        (...slugAndWhose) => store.claimSlug(...slugAndWhose),
        { id, name: fields.name },
        createdAt,
      );
      const project: Project = { id, slug, ...fields, createdAt };
      await store.insert(project);
      return project;
    },
    async changePlan(id, plan, customQuota) {
      const checked = checkPlan(plan, customQuota);
      const before = (await store.get(id)) ?? projectNotFound(id);
      const project = await store.setPlan(id, {
        ...checked,
        customQuota: checked.customQuota,
        domainsLapsedAt: PLANS[plan].includesDomains
          ? undefined
          : (before.domainsLapsedAt ?? new Date(clock())),
      });
      await keys.setPlan(id, checked.plan);
      evictHere({ projectId: id });
      return project ?? projectNotFound(id);
    },
    async update(id, { name, siteAnimals }) {
      if (name === undefined && siteAnimals === undefined)
        throw invalidRequest({ field: 'input', message: 'must have a name or siteAnimals to change' });
      const project = await store.update(id, {
        ...(name !== undefined && { name: checkName(name) }),
        ...(siteAnimals !== undefined && { siteAnimals }),
      });
      evictHere({ projectId: id });
      return project ?? projectNotFound(id);
    },
    get: async (id) => (await store.get(id)) ?? projectNotFound(id),
    getBySlug: (slug) => store.getBySlug(slug),
    async delete(id, name, pets = 'delete') {
      const project = (await store.get(id)) ?? projectNotFound(id);
      if (name !== project.name)
        throw invalidRequest({ field: 'name', message: 'is not the name of this project' });
      return (await store.delete(id, new Date(clock()), pets)) ?? projectNotFound(id);
    },
    list: () => store.list(),
    getMany: (ids) => store.getMany(ids),
    async page(query) {
      checkNamePart(query.filter.nameContains);
      return store.page(query);
    },
  };
}

/** @throws ApiError not_found, always */
export function projectNotFound(id: string): never {
  throw new ApiError('not_found', `There is no project with the id ${id}.`);
}
