import { gql } from '../api/document.js';

interface ProjectNameResult {
  project: { id: string; name: string } | null;
}

export const PROJECT_NAME = gql<ProjectNameResult, { id: string }>`
  query ProjectName($id: ID!) {
    project(id: $id) {
      id
      name
    }
  }
`;

interface ProjectsByNameResult {
  projects: { edges: { node: { id: string; name: string; plan: { name: string } } }[] };
}

export const PROJECTS_BY_NAME = gql<ProjectsByNameResult, { filter: { nameContains?: string } }>`
  query ProjectsByName($filter: ProjectFilter) {
    projects(first: 8, filter: $filter) {
      edges {
        node {
          id
          name
          plan {
            name
          }
        }
      }
    }
  }
`;
