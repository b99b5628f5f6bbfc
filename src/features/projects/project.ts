import type { Redirect } from './redirects.js';
import { PLANS, type CustomQuota, type PlanId } from '../plans/plans.js';

export const SITE_ANIMALS = ['own', 'all'] as const;
/** `own`: a project's site shows the pets of the project. `all`: it shows the pets of everybody. */
export type SiteAnimals = (typeof SITE_ANIMALS)[number];

/** A consumer of the API: its plan, its keys, its site and its pets. Every key reads all pets. */
export interface Project {
  id: string;
  name: string;
  /** The label of its platform host; permanent. */
  slug: string;
  plan: PlanId;
  /** Set if and only if the plan's quota is custom. */
  customQuota?: CustomQuota;
  createdAt: Date;
  /** The deploy that its site serves; missing before the first deploy. */
  liveDeployId?: string;
  /** Missing: `own`. */
  siteAnimals?: SiteAnimals;
  /** The primary domain; if missing, the platform host is primary. */
  primaryDomain?: string;
  /** Redirects between the project's hosts, at most one from each. */
  redirects?: readonly Redirect[];
  /** When its plan stopped including domains. */
  domainsLapsedAt?: Date;
}

/**
 * When domains are no longer served: after the grace period that starts when the plan stops including domains.
 * Undefined while the plan includes domains.
 */
export function domainsEndAt(
  { plan, createdAt, domainsLapsedAt }: Project,
  graceMs: number,
): Date | undefined {
  if (PLANS[plan].includesDomains) return undefined;
  return domainsLapsedAt === undefined ? createdAt : new Date(domainsLapsedAt.getTime() + graceMs);
}
