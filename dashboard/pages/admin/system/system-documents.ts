// Made from system-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../../api/document.js';
import type { DomainStatus } from '../../../api/schema-types.js';
import type { Problem } from '../../domains/domain-documents.js';

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
  oldestDueAt: string | null;
  certificatesExpiring: ExpiringCertificate[];
}

export interface SystemHealthResult {
  systemHealth: SystemHealth;
}

export const SYSTEM_HEALTH: Document<SystemHealthResult> = {
  text: 'query SystemHealth { systemHealth { ...SystemHealth } } fragment SystemHealth on SystemHealth { ready version startedAt checks { ...HealthCheck } quotaOutage projects apiKeys domains { status count } domainsDue oldestDueAt certificatesExpiring(withinDays: 30) { ...ExpiringCertificate } } fragment HealthCheck on HealthCheck { name ok detail } fragment ExpiringCertificate on ExpiringCertificate { domainId projectId name expiresAt problem { ...Problem } } fragment Problem on DomainProblem { code message expected found at retryAt }',
};
