import type { Redirect } from './redirects.js';
import { PLANS, type CustomQuota, type PlanId } from '../plans/plans.js';

/** A consumer of the API: it decides quota and site, never which pets are visible. */
export interface Project {
  id: string;
  name: string;
  /**
   * The label of its platform host, for good. Missing on a project that a gateway from before slugs made while a newer
   * one was running, until the next start.
   */
  slug?: string;
  plan: PlanId;
  /** Set exactly when the quota of the plan is custom. */
  customQuota?: CustomQuota;
  createdAt: Date;
  /** The deploy that its site serves; missing before the first. */
  liveDeployId?: string;
  /** The domain that stands for the project; missing: its host on the platform does. */
  primaryDomain?: string;
  /** Between domains of the project, at most one from each. */
  redirects?: readonly Redirect[];
  /** Since when its plan no longer includes domains. */
  domainsLapsedAt?: Date;
}

/** When domains are no longer served: a while after the plan stopped including them. Undefined while it includes them. */
export function domainsEndAt(
  { plan, createdAt, domainsLapsedAt }: Project,
  graceMs: number,
): Date | undefined {
  if (PLANS[plan].includesDomains) return undefined;
  return domainsLapsedAt === undefined ? createdAt : new Date(domainsLapsedAt.getTime() + graceMs);
}
