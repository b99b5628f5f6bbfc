// Made from project-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../../api/document.js';
import type { CreateProjectInput, DeleteProjectInput, PlanId, ProjectFilter } from '../../../api/schema-types.js';

export interface Project {
  id: string;
  name: string;
  slug: string;
  createdAt: string;
  plan: { id: PlanId; name: string };
  customQuota: { requestsPerMinute: number; requestsPerDay: number } | null;
  site: { url: string } | null;
  liveDeploy: { id: string } | null;
  apiKeys: { edges: { node: { id: string } }[]; pageInfo: { hasNextPage: boolean } };
}

export interface AllProjectsResult {
  projects: { edges: { node: Project }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

export interface AllProjectsVariables {
  filter?: ProjectFilter | null | undefined;
  after?: string | null | undefined;
}

export const ALL_PROJECTS: Document<AllProjectsResult, AllProjectsVariables> = {
  text: 'query AllProjects($filter: ProjectFilter, $after: String) { projects(first: 20, filter: $filter, after: $after) { edges { node { ...Project } } pageInfo { hasNextPage endCursor } } } fragment Project on Project { id name slug createdAt plan { id name } customQuota { requestsPerMinute requestsPerDay } site { url } liveDeploy { id } apiKeys(first: 20) { edges { node { id } } pageInfo { hasNextPage } } }',
};

export interface CreateProjectResult {
  createProject: { project: { id: string; name: string } };
}

export interface CreateProjectVariables {
  input: CreateProjectInput;
}

export const CREATE_PROJECT: Document<CreateProjectResult, CreateProjectVariables> = {
  text: 'mutation CreateProject($input: CreateProjectInput!) { createProject(input: $input) { project { id name } } }',
};

export interface DeleteProjectResult {
  deleteProject: { projectId: string };
}

export interface DeleteProjectVariables {
  input: DeleteProjectInput;
}

export const DELETE_PROJECT: Document<DeleteProjectResult, DeleteProjectVariables> = {
  text: 'mutation DeleteProject($input: DeleteProjectInput!) { deleteProject(input: $input) { projectId } }',
};
