import type { CustomQuota, PlanId } from '../quotas/plans.js';
import type { Project } from './project.js';

/** Where projects are kept. Changes are majority writes and answer with the project after them. */
export interface ProjectsStore {
  insert(project: Project): Promise<void>;
  get(id: string): Promise<Project | undefined>;
  /** Those that exist, in no order. */
  getMany(ids: readonly string[]): Promise<Project[]>;
  list(): Promise<Project[]>;
  /** Undefined when there is no such project. */
  setPlan(id: string, plan: PlanId, customQuota: CustomQuota | undefined): Promise<Project | undefined>;
}
