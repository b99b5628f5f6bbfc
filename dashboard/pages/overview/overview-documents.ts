import type { PlanId } from '../../../src/features/plans/plans.js';
import { gql } from '../../api/document.js';

export interface ProjectOverview {
  id: string;
  name: string;
  createdAt: string;
  plan: { id: PlanId; name: string };
  primaryDomain: string | null;
  site: { host: string; url: string } | null;
  liveDeploy: { number: number; createdAt: string } | null;
  domains: { id: string; name: string; status: DomainStatus }[];
  apiKeys: { edges: { node: { id: string; role: Role } }[] };
}

type DomainStatus = 'pending' | 'verifying' | 'issuing' | 'active' | 'action_required' | 'suspended';
type Role = 'browser' | 'server' | 'owner' | 'admin';

export interface BusyKey {
  id: string;
  name: string;
  quota: { windows: { name: 'minute' | 'day'; limit: number; used: number; resetAt: string | null }[] };
}

export interface OverviewResult {
  project: ProjectOverview | null;
  busiest: { edges: { node: BusyKey }[] };
}

export const OVERVIEW = gql<OverviewResult, { id: string }>`
  query Overview($id: ID!) {
    project(id: $id) {
      id
      name
      createdAt
      plan {
        id
        name
      }
      primaryDomain
      site {
        host
        url
      }
      liveDeploy {
        number
        createdAt
      }
      domains {
        id
        name
        status
      }
      apiKeys(first: 20) {
        edges {
          node {
            id
            role
          }
        }
      }
    }
    busiest: apiKeys(first: 3, filter: { projectId: $id, state: active }, orderBy: usageToday) {
      edges {
        node {
          id
          name
          quota {
            windows {
              name
              limit
              used
              resetAt
            }
          }
        }
      }
    }
  }
`;
