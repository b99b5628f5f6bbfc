import type { AuditAction } from '../audit/audit-record.js';
import type { Domain } from '../publishing/domains/domain.js';
import type { DomainPair, DomainsService, SetRedirect } from '../publishing/domains/domains-service.js';
import { requireDomains } from '../publishing/domains/require-domains.js';
import type { Project } from '../projects/project.js';
import type { ProjectsService } from '../projects/projects-service.js';
import { routingStateOf } from '../projects/routing-state.js';
import type { AuditedChange } from './audited-change.js';

/** The changes that a caller can make to a project's domains. Errors are those of DomainsService. */
export interface DomainChanges {
  addDomain(projectId: string, name: string): Promise<Domain>;
  /** Adds the domain and its counterpart with a redirect to the domain, both or none. */
  addDomainPair(projectId: string, name: string): Promise<DomainPair>;
  /** Requests a DNS check, which a running gateway performs. */
  verifyDomain(id: string): Promise<Domain>;
  /** Undefined selects the platform host. */
  setPrimaryDomain(projectId: string, domainId: string | undefined): Promise<Project>;
  setRedirect(projectId: string, redirect: SetRedirect): Promise<Project>;
  removeRedirect(projectId: string, from: string): Promise<Project>;
  /** Also removes the domain's redirects. If the domain was primary, the platform host becomes primary. */
  removeDomain(id: string): Promise<Domain>;
}

export interface DomainChangesParts {
  /** Undefined without PLATFORM_HOST. */
  domains: DomainsService | undefined;
  projects: Pick<ProjectsService, 'get'>;
  record: <T>(change: AuditedChange<T>) => Promise<T>;
}

export function domainChanges({ domains, projects, record }: DomainChangesParts): DomainChanges {
  const service = () => requireDomains(domains);
  const stateOf = async (projectId: string) => routingStateOf(await projects.get(projectId));

  /** A change without a previous state: its audit record names the domain. */
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
        after: routingStateOf(project),
        change: { projectId },
      }),
    });

  return {
    addDomain: (projectId, name) => changeDomain('domain.add', () => service().add(projectId, name)),
    addDomainPair: (projectId, name) =>
      record({
        action: 'domain.add',
        run: () => service().addPair(projectId, name),
        describe: async ({ domain, counterpart }) => ({
          target: { projectId },
          after: {
            domain: domain.name,
            counterpart: counterpart.name,
            redirects: (await stateOf(projectId))['redirects'] ?? null,
          },
          change: { projectId },
        }),
      }),
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
