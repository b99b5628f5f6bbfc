import type { DomainStatus } from './domain.js';
import type { Problem } from './problem.js';

export type DomainCounts = Record<DomainStatus, number>;

export interface ExpiringCertificate {
  domainId: string;
  projectId: string;
  name: string;
  expiresAt: Date;
  /** The domain's problem, if any. */
  problem: Problem | undefined;
}

/** A customer's domain that cannot work until somebody acts. */
export interface StuckDomain {
  domainId: string;
  projectId: string;
  name: string;
  /** Undefined if its certificate is merely late. */
  problem: Problem | undefined;
}

/** Statistics over the domains of all projects, for the operator of the gateway. */
export interface DomainStatistics {
  /** Counts customers' domains by the status that domainStateOf returns for that moment. */
  byStatus(now: Date): Promise<DomainCounts>;
  /** Customers' domains with the status action_required, in no particular order. */
  needingAction(now: Date, first: number): Promise<StuckDomain[]>;
  /** Counts the domains that are due for a step, including steps under way, and returns when the oldest became due. */
  due(now: Date): Promise<{ due: number; oldestDueAt: Date | undefined }>;
  /** Counts certificates that expire after `after` and up to `until`. Undefined means no bound on that side. */
  countCertificates(after: Date | undefined, until: Date | undefined): Promise<number>;
  /** Certificates that expire up to `end`, or have expired; the earliest first. */
  certificatesUntil(end: Date, first: number): Promise<ExpiringCertificate[]>;
}

export const NO_DOMAINS: DomainCounts = {
  pending: 0,
  verifying: 0,
  issuing: 0,
  active: 0,
  action_required: 0,
  suspended: 0,
};

/** For a gateway that publishes no sites. */
export const noDomainStatistics: DomainStatistics = {
  byStatus: () => Promise.resolve(NO_DOMAINS),
  needingAction: () => Promise.resolve([]),
  due: () => Promise.resolve({ due: 0, oldestDueAt: undefined }),
  countCertificates: () => Promise.resolve(0),
  certificatesUntil: () => Promise.resolve([]),
};
