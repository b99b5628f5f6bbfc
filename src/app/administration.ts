import type { Connection } from 'mongoose';
import { createAdministration, type Administration } from '../features/administration/administration.js';
import type { Removals } from '../features/administration/removals.js';
import type { Changer } from '../features/keys/changer.js';
import type { Keys } from './keys.js';
import type { Quotas } from './quotas.js';
import type { Config } from '../config/config.js';
import { createDeploysService, type DeploysService } from '../features/publishing/deploys/deploys-service.js';
import type { Invalidation } from './invalidation.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import { transact } from '../platform/mongo/connection.js';
import { createProjectsService, type ProjectsService } from '../features/projects/projects-service.js';
import { siteOriginOf } from '../features/projects/site-address.js';
import type { DomainServices } from './domain-services.js';
import { createStorefront } from '../features/publishing/storefront/storefront.js';
import type { Stores } from './stores.js';

/** Projects and their deploys, and administrative changes of projects, deploys and keys. */
export interface AdministeredProjects {
  projects: ProjectsService;
  deploys: DeploysService;
  /** Makes changes in the name of `changer`, each with an audit record. */
  administration: (changer: Changer) => Administration;
}

export interface AdministeredProjectsParts {
  stores: Pick<Stores, 'apiKeys' | 'audit' | 'deploys' | 'projects'>;
  keys: Pick<Keys, 'apiKeys' | 'authenticator' | 'authority'>;
  keyQuotas: Quotas['keyQuotas'];
  /** `wake` makes the domains worker of this process look for work. Undefined without PLATFORM_HOST. */
  customerDomains: (Pick<DomainServices, 'service' | 'sites'> & { wake: () => void }) | undefined;
  removals: Pick<Removals, 'wake'>;
  changes: Pick<Invalidation, 'changed' | 'changedForAll'>;
  log: Logger;
  clock: Clock;
}

export function createAdministeredProjects(
  config: Config,
  connection: Connection,
  parts: AdministeredProjectsParts,
): AdministeredProjects {
  const { stores, keys, keyQuotas, customerDomains, removals, changes, log, clock } = parts;
  const projects = createProjectsService(stores.projects, stores.apiKeys, changes.changed, clock);
  const templates = {
    storefront: createStorefront({
      ...keys,
      administration: (changer) => administration(changer),
      deploys: stores.deploys,
      originOf: (project) => siteOriginOf(project, config, true),
    }),
  };
  const deploys = createDeploysService(
    stores.deploys,
    (template, project, by) => templates[template](project, by),
    clock,
  );
  const administration = createAdministration({
    authority: keys.authority,
    projects,
    apiKeys: keys.apiKeys,
    keyQuotas,
    deploys,
    domains: customerDomains?.service,
    audit: stores.audit,
    transact: (run) => transact(connection, run),
    async changed(change) {
      customerDomains?.wake();
      if ('projectId' in change) removals.wake();
      await changes.changedForAll(change);
    },
    onLive: async (projectId) => customerDomains?.sites.certify(projectId),
    onLeftOver: (err) => log.warn({ err }, 'Could not remove old deploys'),
    clock,
  });
  return { projects, deploys, administration };
}
