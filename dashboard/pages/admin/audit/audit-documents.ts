import { gql } from '../../../api/document.js';
import type { PageInfo } from '../../../api/use-pages.js';

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
  /** owner, admin, command line, or gateway. */
  actorRole: string;
  actorKeyId: string | null;
  actorKey: KeyName | null;
  /** For changes at the command line: `alice@web-1`. */
  actorSystemUser: string | null;
  projectId: string | null;
  project: { id: string; name: string } | null;
  apiKeyId: string | null;
  apiKey: KeyName | null;
  changes: ChangedValue[];
}

interface AuditVariables {
  projectId?: string | undefined;
  apiKeyId?: string | undefined;
  after: string | null;
}

const KEY_NAME = `
  fragment KeyName on ApiKey {
    id
    name
    project {
      id
    }
  }
`;

export const AUDIT_LOG = gql<
  { auditLog: { edges: { node: AuditRecord }[]; pageInfo: PageInfo } },
  AuditVariables
>`
  query AuditLog($projectId: ID, $apiKeyId: ID, $after: String) {
    auditLog(first: 20, projectId: $projectId, apiKeyId: $apiKeyId, after: $after) {
      edges {
        node {
          id
          at
          action
          actorRole
          actorKeyId
          actorKey {
            ...KeyName
          }
          actorSystemUser
          projectId
          project {
            id
            name
          }
          apiKeyId
          apiKey {
            ...KeyName
          }
          changes {
            property
            before
            after
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
  ${KEY_NAME}
`;
