// Made from project-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../api/document.js';
import type { ProjectFilter } from '../api/schema-types.js';

export interface ProjectNameResult {
  project: { id: string; name: string } | null;
}

export interface ProjectNameVariables {
  id: string;
}

export const PROJECT_NAME: Document<ProjectNameResult, ProjectNameVariables> = {
  text: 'query ProjectName($id: ID!) { project(id: $id) { id name } }',
};

export interface ProjectsByNameResult {
  projects: { edges: { node: { id: string; name: string; plan: { name: string } } }[] };
}

export interface ProjectsByNameVariables {
  filter?: ProjectFilter | null | undefined;
}

export const PROJECTS_BY_NAME: Document<ProjectsByNameResult, ProjectsByNameVariables> = {
  text: 'query ProjectsByName($filter: ProjectFilter) { projects(first: 8, filter: $filter) { edges { node { id name plan { name } } } } }',
};
