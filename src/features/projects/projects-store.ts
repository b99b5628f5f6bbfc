import type { Redirect } from './redirects.js';
import type { CustomQuota, PlanId } from '../plans/plans.js';
import type { Project } from './project.js';

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

export interface PlanChange {
  plan: PlanId;
  customQuota: CustomQuota | undefined;
  domainsLapsedAt: Date | undefined;
}

/** Where projects are kept; one that is deleted is found by nothing here. Changes are majority writes and answer with the project after them. */
export interface ProjectsStore {
  /** Takes a slug for a project. False when it was ever given before: slugs are never given twice. */
  claimSlug(slug: string, projectId: string, at: Date): Promise<boolean>;
  insert(project: Project): Promise<void>;
  get(id: string): Promise<Project | undefined>;
  /** As `get`, and of transactions that do this at once one goes first: the others begin anew after it. */
  lock(id: string): Promise<Project | undefined>;
  getBySlug(slug: string): Promise<Project | undefined>;
  /** Those that exist, in no order. */
  getMany(ids: readonly string[]): Promise<Project[]>;
  list(): Promise<Project[]>;
  /** Those that have a deploy, in no order. */
  live(): AsyncIterable<Project>;
  /** Oldest first. @throws ApiError invalid_request for a cursor it never gave out */
  page(query: ProjectsQuery): Promise<ProjectsPage>;
  /**
   * @param domainsLapsedAt when the plan does not include domains: since when, unless it is so already
   * @returns undefined when there is no such project, as the next three
   */
  setPlan(id: string, change: PlanChange): Promise<Project | undefined>;
  setPrimaryDomain(id: string, name: string | undefined): Promise<Project | undefined>;
  setRedirects(id: string, redirects: readonly Redirect[]): Promise<Project | undefined>;
  /** Has its removal begin (project-removals.ts), and every transaction under way that changes it end. */
  delete(id: string, at: Date): Promise<Project | undefined>;
}
