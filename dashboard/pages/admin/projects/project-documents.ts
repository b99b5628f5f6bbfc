import type { PlanId, Quota } from '../../../../src/features/plans/plans.js';
import { gql } from '../../../api/document.js';
import type { PageInfo } from '../../../api/use-pages.js';

export interface Project {
  id: string;
  name: string;
  slug: string | null;
  createdAt: string;
  plan: { id: PlanId; name: string };
  customQuota: Quota | null;
  /** Null if this gateway publishes no sites. */
  site: { url: string } | null;
  liveDeploy: { id: string } | null;
  /** Enough keys to show their number, or that there are many. */
  apiKeys: { edges: { node: { id: string } }[]; pageInfo: { hasNextPage: boolean } };
}

interface ProjectsVariables {
  filter: { nameContains?: string | undefined; plan?: PlanId | undefined };
  after: string | null;
}

export const ALL_PROJECTS = gql<
  { projects: { edges: { node: Project }[]; pageInfo: PageInfo } },
  ProjectsVariables
>`
  query AllProjects($filter: ProjectFilter, $after: String) {
    projects(first: 20, filter: $filter, after: $after) {
      edges {
        node {
          id
          name
          slug
          createdAt
          plan {
            id
            name
          }
          customQuota {
            requestsPerMinute
            requestsPerDay
          }
          site {
            url
          }
          liveDeploy {
            id
          }
          apiKeys(first: 20) {
            edges {
              node {
                id
              }
            }
            pageInfo {
              hasNextPage
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

interface CreateProjectInput {
  name: string;
  plan: PlanId;
  customQuota?: Quota | undefined;
}

export const CREATE_PROJECT = gql<
  { createProject: { project: { id: string; name: string } } },
  { input: CreateProjectInput }
>`
  mutation CreateProject($input: CreateProjectInput!) {
    createProject(input: $input) {
      project {
        id
        name
      }
    }
  }
`;

export const DELETE_PROJECT = gql<
  { deleteProject: { projectId: string } },
  { input: { projectId: string; name: string } }
>`
  mutation DeleteProject($input: DeleteProjectInput!) {
    deleteProject(input: $input) {
      projectId
    }
  }
`;
