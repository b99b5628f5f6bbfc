import type { AuditAction, AuditState } from '../audit/audit-record.js';
import type { Domain } from '../publishing/domains/domain.js';
import type { DomainsService, SetRedirect } from '../publishing/domains/domains-service.js';
import { requireDomains } from '../publishing/domains/require-domains.js';
import type { Project } from '../projects/project.js';
import type { ProjectsService } from '../projects/projects-service.js';
import type { Change } from './change.js';

/** What a person can do to the domains of a project. Errors are those of DomainsService. */
export interface DomainChanges {
  addDomain(projectId: string, name: string): Promise<Domain>;
  /** Asks for a look at DNS, which a running gateway takes. */
  verifyDomain(id: string): Promise<Domain>;
  /** Undefined: back to the platform's host. */
  setPrimaryDomain(projectId: string, domainId: string | undefined): Promise<Project>;
  setRedirect(projectId: string, redirect: SetRedirect): Promise<Project>;
  removeRedirect(projectId: string, from: string): Promise<Project>;
  /** Takes its redirects with it; was it the primary, the platform's host is that again. */
  removeDomain(id: string): Promise<Domain>;
}

export interface DomainChangesParts {
  /** Undefined without PLATFORM_HOST. */
  domains: DomainsService | undefined;
  projects: Pick<ProjectsService, 'get'>;
  record: <T>(change: Change<T>) => Promise<T>;
}

export function domainChanges({ domains, projects, record }: DomainChangesParts): DomainChanges {
  const service = () => requireDomains(domains);
  const stateOf = async (projectId: string) => stateOfRouting(await projects.get(projectId));

  /** A change that has no state before it: the record tells of which domain. */
  const changeDomain = (action: AuditAction, run: () => Promise<Domain>) =>
    record({
      action,
      run,
      describe: ({ name, projectId }) => ({
        target: { projectId },
        after: { domain: name },
        change: { projectId },
      }),
    });
  const changeRouting = (action: AuditAction, projectId: string, run: () => Promise<Project>) =>
    record({
      action,
      before: () => stateOf(projectId),
      run,
      describe: (project) => ({
        target: { projectId },
        after: stateOfRouting(project),
        change: { projectId },
      }),
    });

  return {
    addDomain: (projectId, name) => changeDomain('domain.add', () => service().add(projectId, name)),
    verifyDomain: (id) => changeDomain('domain.verify', () => service().verify(id)),
    setPrimaryDomain: (projectId, domainId) =>
      changeRouting('domain.setPrimary', projectId, () => service().setPrimary(projectId, domainId)),
    setRedirect: (projectId, redirect) =>
      changeRouting('redirect.set', projectId, () => service().setRedirect(projectId, redirect)),
    removeRedirect: (projectId, from) =>
      changeRouting('redirect.remove', projectId, () => service().removeRedirect(projectId, from)),
    removeDomain: (id) =>
      record({
        action: 'domain.remove',
        before: async () => {
          const { name, projectId } = await service().get(id);
          return { domain: name, ...(await stateOf(projectId)) };
        },
        run: () => service().remove(id),
        describe: async ({ projectId }) => ({
          target: { projectId },
          after: { domain: null, ...(await stateOf(projectId)) },
          change: { projectId },
        }),
      }),
  };
}

/** Where visitors are led; null: the platform's host, and no redirect. */
function stateOfRouting({ primaryDomain, redirects = [] }: Project): AuditState {
  const lines = redirects.map(({ from, to, status }) => `${from} → ${to} ${status}`);
  return { primaryDomain: primaryDomain ?? null, redirects: lines.join(', ') || null };
}
