import type { PlanId } from '../../../../src/features/plans/plans.js';
import { gql } from '../../../api/document.js';
import type { PageInfo } from '../../../api/use-pages.js';
import {
  ISSUED_FIELDS,
  KEY_FIELDS,
  type ApiKeyOrder,
  type ApiKeyRole,
  type ApiKeyState,
  type IssuedKey,
  type KeyWithProject,
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
          ...KeyFields
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
  ${KEY_FIELDS}
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
        ...IssuedFields
      }
      secret
    }
  }
  ${ISSUED_FIELDS}
`;
