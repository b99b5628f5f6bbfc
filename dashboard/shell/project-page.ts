/** What a page below a project gets from its address. */
export interface ProjectPageProps {
  projectId: string;
}
