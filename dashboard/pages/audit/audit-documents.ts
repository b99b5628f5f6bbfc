// Made from audit-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../api/document.js';
import type { AuditLogFilter } from '../../api/schema-types.js';

export interface ChangedValue {
  property: string;
  before: string | null;
  after: string | null;
}

export interface KeyPlace {
  project: { id: string } | null;
}

export interface AuditRecord {
  id: string;
  at: string;
  action: string;
  actorRole: string;
  actorKeyId: string | null;
  actorName: string | null;
  actorKey: KeyPlace | null;
  actorSystemUser: string | null;
  projectId: string | null;
  projectName: string | null;
  apiKeyId: string | null;
  petId: string | null;
  petName: string | null;
  apiKeyName: string | null;
  apiKey: KeyPlace | null;
  changes: ChangedValue[];
}

export interface AuditLogResult {
  auditLog: { edges: { node: AuditRecord }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

export interface AuditLogVariables {
  first?: number | null | undefined;
  after?: string | null | undefined;
  projectId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
  actorKeyId?: string | null | undefined;
  filter?: AuditLogFilter | null | undefined;
}

export const AUDIT_LOG: Document<AuditLogResult, AuditLogVariables> = {
  text: 'query AuditLog($first: Int = 20, $after: String, $projectId: ID, $apiKeyId: ID, $actorKeyId: ID, $filter: AuditLogFilter) { auditLog( first: $first after: $after projectId: $projectId apiKeyId: $apiKeyId actorKeyId: $actorKeyId filter: $filter ) { edges { node { ...AuditRecord } } pageInfo { hasNextPage endCursor } } } fragment AuditRecord on AuditRecord { id at action actorRole actorKeyId actorName actorKey { ...KeyPlace } actorSystemUser projectId projectName apiKeyId petId petName apiKeyName apiKey { ...KeyPlace } changes { ...ChangedValue } } fragment KeyPlace on ApiKey { project { id } } fragment ChangedValue on AuditValue { property before after }',
};
