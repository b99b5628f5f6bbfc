import { gql } from '../../api/document.js';
import type { PageInfo } from '../../api/use-pages.js';

export type ApiKeyRole = 'browser' | 'server' | 'owner' | 'admin';
/** The roles of keys that belong to a project. */
export type ProjectRole = Exclude<ApiKeyRole, 'admin'>;
export type ApiKeyState = 'active' | 'expired' | 'revoked';
export type ApiKeyOrder = 'createdAt' | 'lastUsedAt' | 'usageToday';
export type WindowName = 'minute' | 'day';

export interface QuotaWindow {
  name: WindowName;
  limit: number;
  used: number;
  /** Null if the window has not begun. */
  resetAt: string | null;
}

export interface Ban {
  until: string;
  offences: number;
}

export interface Quota {
  windows: QuotaWindow[];
  ban: Ban | null;
}

export interface ApiKey {
  id: string;
  name: string;
  start: string;
  role: ApiKeyRole;
  state: ApiKeyState;
  allowedOrigins: string[];
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  quota: Quota;
}

export const KEY_FIELDS = `
  fragment KeyFields on ApiKey {
    id
    name
    start
    role
    state
    allowedOrigins
    createdAt
    expiresAt
    lastUsedAt
    quota {
      windows {
        name
        limit
        used
        resetAt
      }
      ban {
        until
        offences
      }
    }
  }
`;

export interface ApiKeyFilter {
  projectId: string;
  role?: ApiKeyRole | undefined;
  state?: ApiKeyState | undefined;
  banned?: boolean | undefined;
  nearLimit?: boolean | undefined;
  nameContains?: string | undefined;
}

interface ProjectKeysResult {
  project: {
    id: string;
    name: string;
    plan: { name: string; maxApiKeys: number };
    activeApiKeys: number;
  } | null;
  apiKeys: { edges: { node: ApiKey }[]; pageInfo: PageInfo };
}

interface ProjectKeysVariables {
  projectId: string;
  filter: ApiKeyFilter;
  orderBy: ApiKeyOrder;
  after: string | null;
}

export const PROJECT_KEYS = gql<ProjectKeysResult, ProjectKeysVariables>`
  query ProjectKeys($projectId: ID!, $filter: ApiKeyFilter, $orderBy: ApiKeyOrder, $after: String) {
    project(id: $projectId) {
      id
      name
      plan {
        name
        maxApiKeys
      }
      activeApiKeys
    }
    apiKeys(first: 20, filter: $filter, orderBy: $orderBy, after: $after) {
      edges {
        node {
          ...KeyFields
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
  ${KEY_FIELDS}
`;

export interface KeyChange {
  id: string;
  at: string;
  action: string;
  actorRole: string;
  actorKeyId: string | null;
  changes: { property: string; before: string | null; after: string | null }[];
}

export type KeyWithProject = ApiKey & {
  project: { id: string; name: string; plan: { name: string } } | null;
};

interface KeyResult {
  apiKey: KeyWithProject | null;
  auditLog: { edges: { node: KeyChange }[] };
}

export const KEY = gql<KeyResult, { id: string }>`
  query Key($id: ID!) {
    apiKey(id: $id) {
      ...KeyFields
      project {
        id
        name
        plan {
          name
        }
      }
    }
    auditLog(apiKeyId: $id, first: 20) {
      edges {
        node {
          id
          at
          action
          actorRole
          actorKeyId
          changes {
            property
            before
            after
          }
        }
      }
    }
  }
  ${KEY_FIELDS}
`;

export type ApiInterface = 'rest' | 'graphql';

export interface UsageGroup {
  interface: ApiInterface;
  operation: string;
  status: number;
  requests: number;
  cost: number;
}

export interface Usage {
  asOf: string;
  requests: number;
  cost: number;
  refused: number;
  bans: number;
  days: { date: string; byStatus: { status: number; requests: number }[] }[];
  groups: UsageGroup[];
}

export interface Refusal {
  at: string;
  code: string;
  message: string;
  interface: ApiInterface;
  operation: string | null;
  window: string | null;
  limit: number | null;
  cost: number | null;
  resetAt: string | null;
}

export const KEY_USAGE = gql<{ apiKey: { usage: Usage } | null }, { id: string; from: string }>`
  query KeyUsage($id: ID!, $from: DateTime) {
    apiKey(id: $id) {
      usage(from: $from) {
        asOf
        requests
        cost
        refused
        bans
        days {
          date
          byStatus {
            status
            requests
          }
        }
        groups {
          interface
          operation
          status
          requests
          cost
        }
      }
    }
  }
`;

export const KEY_REFUSALS = gql<{ apiKey: { refusals: Refusal[] } | null }, { id: string }>`
  query KeyRefusals($id: ID!) {
    apiKey(id: $id) {
      refusals(first: 10) {
        at
        code
        message
        interface
        operation
        window
        limit
        cost
        resetAt
      }
    }
  }
`;

/** A new or rotated key, with the secret that is shown only once. */
export interface IssuedKey {
  apiKey: { id: string; name: string; role: ApiKeyRole; allowedOrigins: string[] };
  secret: string;
}

export const ISSUED_FIELDS = `
  fragment IssuedFields on ApiKey {
    id
    name
    role
    allowedOrigins
  }
`;

interface CreateKeyInput {
  projectId: string;
  name: string;
  role: ApiKeyRole;
  allowedOrigins?: string[];
  expiresAt?: string;
}

export const CREATE_KEY = gql<{ createApiKey: IssuedKey }, { input: CreateKeyInput }>`
  mutation CreateKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      apiKey {
        ...IssuedFields
      }
      secret
    }
  }
  ${ISSUED_FIELDS}
`;

export const ROTATE_KEY = gql<{ rotateApiKey: IssuedKey }, { input: { id: string; overlapSeconds: number } }>`
  mutation RotateKey($input: RotateApiKeyInput!) {
    rotateApiKey(input: $input) {
      apiKey {
        ...IssuedFields
      }
      secret
    }
  }
  ${ISSUED_FIELDS}
`;

export const REVOKE_KEY = gql<{ revokeApiKey: { apiKey: { id: string } } }, { input: { id: string } }>`
  mutation RevokeKey($input: RevokeApiKeyInput!) {
    revokeApiKey(input: $input) {
      apiKey {
        id
      }
    }
  }
`;

export const RESET_QUOTA = gql<
  { resetQuota: { quota: { windows: { name: WindowName }[] } } },
  { input: { apiKeyId: string; window: WindowName | null } }
>`
  mutation ResetQuota($input: ResetQuotaInput!) {
    resetQuota(input: $input) {
      quota {
        windows {
          name
        }
      }
    }
  }
`;

export const LIFT_BAN = gql<
  { liftBan: { quota: { ban: { until: string } | null } } },
  { input: { apiKeyId: string } }
>`
  mutation LiftBan($input: LiftBanInput!) {
    liftBan(input: $input) {
      quota {
        ban {
          until
        }
      }
    }
  }
`;
