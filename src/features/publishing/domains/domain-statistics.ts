import type { DomainStatus } from './domain.js';
import type { Problem } from './problem.js';

export type DomainCounts = Record<DomainStatus, number>;

export interface ExpiringCertificate {
  domainId: string;
  projectId: string;
  name: string;
  expiresAt: Date;
  /** What is in the way of the domain, if anything. */
  problem: Problem | undefined;
}

/** The domains of all projects, for who operates the gateway. */
export interface DomainStatistics {
  /** Customers' own, by their status at that moment as stateOf tells it. */
  byStatus(now: Date): Promise<DomainCounts>;
  /** How many are due for a step, those under way too, and since when the first of them. */
  due(now: Date): Promise<{ due: number; oldestDueAt: Date | undefined }>;
  /** How many certificates end after the one moment and until the other; undefined: however early, however late. */
  countCertificates(after: Date | undefined, until: Date | undefined): Promise<number>;
  /** Certificates that end until then, or have ended; the first to end first. */
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

/** Where nothing is published. */
export const noDomainStatistics: DomainStatistics = {
  byStatus: () => Promise.resolve(NO_DOMAINS),
  due: () => Promise.resolve({ due: 0, oldestDueAt: undefined }),
  countCertificates: () => Promise.resolve(0),
  certificatesUntil: () => Promise.resolve([]),
};
