import type { ProjectsStore } from '../../projects/projects-store.js';
import { withoutDomain, type Redirect } from '../../projects/redirects.js';
import type { Routing } from '../../projects/routing-state.js';
import type { Domain } from './domain.js';

export type RoutedProjects = Pick<ProjectsStore, 'lock' | 'setPrimaryDomain' | 'setRedirects'>;

/** The routing of a project before and after a domain was taken away; undefined if the project is gone. */
export type StoppedRouting =
  { before: Routing; after: Routing; /** Redirects from and to the domain. */ ended: Redirect[] } | undefined;

/**
 * Removes a domain that the project no longer has from the project's redirects and as its primary domain. Call it in
 * the transaction that takes the domain away.
 */
export async function stopRoutingTo(
  { projectId, name }: Domain,
  projects: RoutedProjects,
): Promise<StoppedRouting> {
  // The lock restarts any concurrent change that routes visitors to this domain.
  const before = await projects.lock(projectId);
  if (before === undefined) return undefined;
  const { primaryDomain, redirects = [] } = before;
  const isPrimary = primaryDomain === name;
  if (isPrimary) await projects.setPrimaryDomain(projectId, undefined);
  const left = withoutDomain(redirects, name);
  if (left.length < redirects.length) await projects.setRedirects(projectId, left);
  return {
    before,
    after: { primaryDomain: isPrimary ? undefined : primaryDomain, redirects: left },
    ended: redirects.filter((redirect) => !left.includes(redirect)),
  };
}
