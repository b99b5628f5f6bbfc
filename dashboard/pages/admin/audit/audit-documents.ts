// Made from audit-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../../api/document.js';

export interface ChangedValue {
  property: string;
  before: string | null;
  after: string | null;
}

export interface KeyName {
  id: string;
  name: string;
  project: { id: string } | null;
}

export interface AuditRecord {
  id: string;
  at: string;
  action: string;
  actorRole: string;
  actorKeyId: string | null;
  actorKey: KeyName | null;
  actorSystemUser: string | null;
  projectId: string | null;
  project: { id: string; name: string } | null;
  apiKeyId: string | null;
  apiKey: KeyName | null;
  changes: ChangedValue[];
}

export interface AuditLogResult {
  auditLog: { edges: { node: AuditRecord }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

export interface AuditLogVariables {
  projectId?: string | null | undefined;
  apiKeyId?: string | null | undefined;
  after?: string | null | undefined;
}

export const AUDIT_LOG: Document<AuditLogResult, AuditLogVariables> = {
  text: 'query AuditLog($projectId: ID, $apiKeyId: ID, $after: String) { auditLog(first: 20, projectId: $projectId, apiKeyId: $apiKeyId, after: $after) { edges { node { ...AuditRecord } } pageInfo { hasNextPage endCursor } } } fragment AuditRecord on AuditRecord { id at action actorRole actorKeyId actorKey { ...KeyName } actorSystemUser projectId project { id name } apiKeyId apiKey { ...KeyName } changes { ...ChangedValue } } fragment KeyName on ApiKey { id name project { id } } fragment ChangedValue on AuditValue { property before after }',
};
