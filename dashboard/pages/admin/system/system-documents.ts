import { gql } from '../../../api/document.js';
import type { DomainStatus, Problem } from '../../domains/domain-documents.js';

export interface HealthCheck {
  name: string;
  ok: boolean;
  detail: string | null;
}

export interface ExpiringCertificate {
  domainId: string;
  projectId: string;
  name: string;
  expiresAt: string;
  problem: Problem | null;
}

export interface SystemHealth {
  ready: boolean;
  version: string;
  startedAt: string;
  checks: HealthCheck[];
  quotaOutage: boolean;
  projects: number;
  apiKeys: number;
  domains: { status: DomainStatus; count: number }[];
  domainsDue: number;
  /** Null if nothing is due. */
  oldestDueAt: string | null;
  certificatesExpiring: ExpiringCertificate[];
}

export const SYSTEM_HEALTH = gql<{ systemHealth: SystemHealth }>`
  query SystemHealth {
    systemHealth {
      ready
      version
      startedAt
      checks {
        name
        ok
        detail
      }
      quotaOutage
      projects
      apiKeys
      domains {
        status
        count
      }
      domainsDue
      oldestDueAt
      certificatesExpiring(withinDays: 30) {
        domainId
        projectId
        name
        expiresAt
        problem {
          code
          message
          expected
          found
          at
          retryAt
        }
      }
    }
  }
`;
