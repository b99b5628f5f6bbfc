// Made from deploy-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../api/document.js';
import type { CreateDeployInput, DeployState, FileChange, RollbackDeployInput } from '../../api/schema-types.js';

export interface DeployChanges {
  added: number;
  changed: number;
  removed: number;
  files: { path: string; change: FileChange }[];
}

export interface Deploy {
  id: string;
  number: number;
  state: DeployState;
  isLive: boolean;
  message: string | null;
  spa: boolean;
  problem: string | null;
  notLiveReason: string | null;
  createdAt: string;
  createdByRole: string;
  createdByKeyId: string | null;
  fileCount: number | null;
  sizeBytes: number | null;
  changes: DeployChanges | null;
  changesFromLive: DeployChanges | null;
}

export interface ProjectDeploysResult {
  project: { id: string; site: { host: string; url: string } | null; liveDeploy: { id: string; number: number } | null; deploys: { edges: { node: Deploy }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } } | null;
}

export interface ProjectDeploysVariables {
  id: string;
  after?: string | null | undefined;
}

export const PROJECT_DEPLOYS: Document<ProjectDeploysResult, ProjectDeploysVariables> = {
  text: 'query ProjectDeploys($id: ID!, $after: String) { project(id: $id) { id site { host url } liveDeploy { id number } deploys(first: 10, after: $after) { edges { node { ...Deploy } } pageInfo { hasNextPage endCursor } } } } fragment Deploy on Deploy { id number state isLive message spa problem notLiveReason createdAt createdByRole createdByKeyId fileCount sizeBytes changes { ...DeployChanges } changesFromLive { ...DeployChanges } } fragment DeployChanges on DeployChanges { added changed removed files { path change } }',
};

export interface CreateDeployResult {
  createDeploy: { deploy: { id: string; number: number }; upload: { method: string; url: string; maxBytes: number; headers: { name: string; value: string }[] } | null };
}

export interface CreateDeployVariables {
  input: CreateDeployInput;
}

export const CREATE_DEPLOY: Document<CreateDeployResult, CreateDeployVariables> = {
  text: 'mutation CreateDeploy($input: CreateDeployInput!) { createDeploy(input: $input) { deploy { id number } upload { method url maxBytes headers { name value } } } }',
};

export interface RollbackDeployResult {
  rollbackDeploy: { deploy: { number: number } };
}

export interface RollbackDeployVariables {
  input: RollbackDeployInput;
}

export const ROLLBACK_DEPLOY: Document<RollbackDeployResult, RollbackDeployVariables> = {
  text: 'mutation RollbackDeploy($input: RollbackDeployInput!) { rollbackDeploy(input: $input) { deploy { number } } }',
};
