import { gql } from '../../../api/document.js';
import type { PageInfo } from '../../../api/use-pages.js';
import type { PlanId } from '../../plans/plan-documents.js';
import type {
  ApiKeyOrder,
  ApiKeyRole,
  ApiKeyState,
  IssuedKey,
  KeyWithProject,
} from '../../keys/key-documents.js';

interface AllKeysVariables {
  filter: {
    nameContains?: string | undefined;
    plan?: PlanId | undefined;
    role?: ApiKeyRole | undefined;
    state?: ApiKeyState | undefined;
    banned?: boolean | undefined;
    nearLimit?: boolean | undefined;
  };
  orderBy: ApiKeyOrder;
  after: string | null;
}

export const ALL_KEYS = gql<
  { apiKeys: { edges: { node: KeyWithProject }[]; pageInfo: PageInfo } },
  AllKeysVariables
>`
  query AllKeys($filter: ApiKeyFilter, $orderBy: ApiKeyOrder, $after: String) {
    apiKeys(first: 20, filter: $filter, orderBy: $orderBy, after: $after) {
      edges {
        node {
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
          project {
            id
            name
            plan {
              name
            }
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

interface CreateAdminKeyInput {
  name: string;
  role: ApiKeyRole;
  expiresAt?: string;
}

export const CREATE_ADMIN_KEY = gql<{ createApiKey: IssuedKey }, { input: CreateAdminKeyInput }>`
  mutation CreateAdminKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      apiKey {
        id
        name
        role
        allowedOrigins
      }
      secret
    }
  }
`;
