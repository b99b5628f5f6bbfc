import { gql } from '../../api/document.js';
import type { Upload } from '../../api/upload.js';
import type { PageInfo } from '../../api/use-pages.js';

export type DeployState = 'awaiting_upload' | 'expired' | 'failed' | 'ready';

export interface Deploy {
  id: string;
  number: number;
  state: DeployState;
  isLive: boolean;
  message: string | null;
  problem: string | null;
  createdAt: string;
  createdByRole: string;
  createdByKeyId: string | null;
  fileCount: number | null;
  sizeBytes: number | null;
}

export interface ProjectWithDeploys {
  id: string;
  site: { host: string; url: string } | null;
  liveDeploy: { id: string; number: number } | null;
  deploys: { edges: { node: Deploy }[]; pageInfo: PageInfo };
}

export const PROJECT_DEPLOYS = gql<
  { project: ProjectWithDeploys | null },
  { id: string; after: string | null }
>`
  query ProjectDeploys($id: ID!, $after: String) {
    project(id: $id) {
      id
      site {
        host
        url
      }
      liveDeploy {
        id
        number
      }
      deploys(first: 10, after: $after) {
        edges {
          node {
            id
            number
            state
            isLive
            message
            problem
            createdAt
            createdByRole
            createdByKeyId
            fileCount
            sizeBytes
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`;

export interface CreateDeployResult {
  createDeploy: {
    deploy: { id: string; number: number };
    upload: (Upload & { maxBytes: number; headers: { name: string; value: string }[] }) | null;
  };
}

export interface CreateDeployVariables {
  input: { projectId: string; message?: string; template?: 'storefront' };
}

export const CREATE_DEPLOY = gql<CreateDeployResult, CreateDeployVariables>`
  mutation CreateDeploy($input: CreateDeployInput!) {
    createDeploy(input: $input) {
      deploy {
        id
        number
      }
      upload {
        method
        url
        maxBytes
        headers {
          name
          value
        }
      }
    }
  }
`;

export const ROLLBACK_DEPLOY = gql<
  { rollbackDeploy: { deploy: { number: number } } },
  { input: { projectId: string; deployId: string } }
>`
  mutation RollbackDeploy($input: RollbackDeployInput!) {
    rollbackDeploy(input: $input) {
      deploy {
        number
      }
    }
  }
`;
