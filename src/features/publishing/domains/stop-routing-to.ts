import type { ProjectsStore } from '../../projects/projects-store.js';
import { withoutDomain } from '../../projects/redirects.js';
import type { Domain } from './domain.js';

export type RoutedProjects = Pick<ProjectsStore, 'lock' | 'setPrimaryDomain' | 'setRedirects'>;

/**
 * Removes a domain that the project no longer has from the project's redirects and as its primary domain. Call it in
 * the transaction that takes the domain away.
 */
export async function stopRoutingTo({ projectId, name }: Domain, projects: RoutedProjects): Promise<void> {
  // The lock restarts any concurrent change that routes visitors to this domain.
  const project = await projects.lock(projectId);
  if (project === undefined) return;
  const { primaryDomain, redirects = [] } = project;
  if (primaryDomain === name) await projects.setPrimaryDomain(projectId, undefined);
  const left = withoutDomain(redirects, name);
  if (left.length < redirects.length) await projects.setRedirects(projectId, left);
}
