import type { Redirect } from './redirects.js';
import type { CustomQuota, PlanId } from '../plans/plans.js';
import type { PetsOfDeleted } from './project-removals.js';
import type { Project, SiteAnimals } from './project.js';

export interface ProjectsQuery {
  first: number;
  filter: { plan?: PlanId | undefined; nameContains?: string | undefined };
  /** Only projects after the one with this cursor. */
  after?: string | undefined;
}

export interface ProjectsPage {
  entries: { project: Project; cursor: string }[];
  hasMore: boolean;
}

/** What stays as it is, is missing. */
export interface ProjectChanges {
  name?: string;
  siteAnimals?: SiteAnimals;
}

export interface PlanChange {
  plan: PlanId;
  customQuota: CustomQuota | undefined;
  domainsLapsedAt: Date | undefined;
}

/**
 * Stores projects. No method finds a deleted project. Changes use majority writes and return the project after the
 * change.
 */
export interface ProjectsStore {
  /** Claims a slug for a project. Returns false if the slug was ever assigned: slugs are never reused. */
  claimSlug(slug: string, projectId: string, at: Date): Promise<boolean>;
  insert(project: Project): Promise<void>;
  get(id: string): Promise<Project | undefined>;
  /**
   * Like `get`, and serializes transactions: if several lock a project at once, one continues and the others restart
   * after it.
   */
  lock(id: string): Promise<Project | undefined>;
  getBySlug(slug: string): Promise<Project | undefined>;
  /** Whether a project has or had the slug. */
  hadSlug(slug: string): Promise<boolean>;
  /** Returns the projects that exist, in no particular order. */
  getMany(ids: readonly string[]): Promise<Project[]>;
  list(): Promise<Project[]>;
  /** Projects with a live deploy, in no particular order. */
  live(): AsyncIterable<Project>;
  /** Oldest first. @throws ApiError invalid_request for a cursor that it did not return */
  page(query: ProjectsQuery): Promise<ProjectsPage>;
  /**
   * @param change `domainsLapsedAt` is when the project's plan stopped including domains; undefined if `plan` includes
   *   them
   * @returns undefined if the project does not exist, like the next four methods
   */
  setPlan(id: string, change: PlanChange): Promise<Project | undefined>;
  update(id: string, changes: ProjectChanges): Promise<Project | undefined>;
  setPrimaryDomain(id: string, name: string | undefined): Promise<Project | undefined>;
  setRedirects(id: string, redirects: readonly Redirect[]): Promise<Project | undefined>;
  /**
   * Schedules the project's removal (project-removals.ts) and aborts concurrent transactions that change the project.
   */
  delete(id: string, at: Date, pets: PetsOfDeleted): Promise<Project | undefined>;
}
