/** Properties that a project's page gets from the path. */
export interface ProjectPageProps {
  projectId: string;
}
