import type {
  DomainCounts,
  DomainStatistics,
  ExpiringCertificate,
  StuckDomain,
} from '../publishing/domains/domain-statistics.js';
import { DAY_MS, type Clock } from '../../lib/clock.js';
import { invalidRequest } from '../../lib/errors.js';
import { isWell, type Readiness } from './readiness.js';

export interface HealthCheck {
  name: string;
  ok: boolean;
  /** The reason for a failure, or additional information. */
  detail: string | undefined;
}

export interface SystemHealth {
  ready: boolean;
  version: string;
  startedAt: Date;
  checks: HealthCheck[];
  domains: DomainCounts;
  domainsDue: number;
  oldestDueAt: Date | undefined;
  quotaOutage: boolean;
  projects: number;
  apiKeys: number;
}

/** The status of the gateway, for its operators. */
export interface SystemStatus {
  health(): Promise<SystemHealth>;
  /** Certificates by expiry, earliest first, including expired ones. @throws ApiError invalid_request */
  certificatesExpiring(withinDays: number, first: number): Promise<ExpiringCertificate[]>;
  /** Customers' domains that cannot work until somebody acts, in no particular order. */
  domainsNeedingAction(first: number): Promise<StuckDomain[]>;
}

export interface SystemStatusParts {
  version: string;
  readiness: () => Promise<Pick<Readiness, 'ready' | 'checks'>>;
  isQuotaStoreDown: () => boolean;
  /** Approximate counts, from MongoDB's metadata. */
  countProjects: () => Promise<number>;
  countApiKeys: () => Promise<number>;
  domains: DomainStatistics;
  clock: Clock;
}

const MAX_DAYS = 400;

export function createSystemStatus(parts: SystemStatusParts): SystemStatus {
  const { version, readiness, isQuotaStoreDown, countProjects, countApiKeys, domains, clock } = parts;
  const startedAt = new Date(clock());
  return {
    async health() {
      const now = new Date(clock());
      const [{ ready, checks }, projects, apiKeys, byStatus, { due, oldestDueAt }] = await Promise.all([
        readiness(),
        countProjects(),
        countApiKeys(),
        domains.byStatus(now),
        domains.due(now),
      ]);
      return {
        ready,
        version,
        startedAt,
        checks: Object.entries(checks).map(toCheck),
        domains: byStatus,
        domainsDue: due,
        oldestDueAt,
        quotaOutage: isQuotaStoreDown(),
        projects,
        apiKeys,
      };
    },
    async certificatesExpiring(withinDays, first) {
      if (withinDays < 0 || withinDays > MAX_DAYS)
        throw invalidRequest({ field: 'withinDays', message: `must be an integer from 0 to ${MAX_DAYS}` });
      return domains.certificatesUntil(new Date(clock() + withinDays * DAY_MS), first);
    },
    domainsNeedingAction: (first) => domains.needingAction(new Date(clock()), first),
  };
}

function toCheck([name, text]: [string, string]): HealthCheck {
  return { name, ok: isWell(text), detail: text === 'ok' ? undefined : text };
}
