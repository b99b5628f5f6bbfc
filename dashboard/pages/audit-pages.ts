/** The audit log: of all projects for admins, and of one project for its owners too. */
export { AuditPage as Audit, ProjectAuditPage as ProjectAudit } from './audit/audit-page.js';
