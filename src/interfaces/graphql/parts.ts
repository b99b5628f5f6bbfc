import type { Administration } from '../../features/administration/administration.js';
import type { PetsOfCaller } from '../../features/administration/pets-of-caller.js';
import type { Changer } from '../../features/keys/changer.js';
import type { AuditStore } from '../../features/audit/audit-store.js';
import type { ApiKeysService } from '../../features/keys/api-keys-service.js';
import type { PetsImports } from '../../features/synchronization/pets-imports.js';
import type { PetsService } from '../../features/pets/pets-service.js';
import type { Project } from '../../features/projects/project.js';
import type { ProjectsService } from '../../features/projects/projects-service.js';
import type { DeploysService } from '../../features/publishing/deploys/deploys-service.js';
import type { Domain } from '../../features/publishing/domains/domain.js';
import type { DomainsService } from '../../features/publishing/domains/domains-service.js';
import type { PlatformHosts } from '../../features/publishing/domains/platform-hosts.js';
import type { KeyQuotas } from '../../features/quotas/key-quotas.js';
import type { SystemStatus } from '../../features/system/system-health.js';
import type { TrafficService } from '../../features/usage/traffic-service.js';
import type { UsageService } from '../../features/usage/usage-service.js';
import type { QuotaParts } from '../../http/steps/enforce-quota.js';
import type { Operations } from '../../http/versioning/operations.js';
import type { Logger } from '../../lib/logger.js';
import type { CacheStatistics } from '../../lib/cache-statistics.js';
import type { Config } from '../../config/config.js';
import type { Tracing } from '../../observability/tracing/tracing.js';

/** The services and settings that the GraphQL interface uses. */
export interface GraphQLParts extends QuotaParts {
  pets: PetsService;
  petsOfCaller: PetsOfCaller;
  petsImports: PetsImports;
  projects: ProjectsService;
  apiKeys: ApiKeysService;
  keyQuotas: KeyQuotas;
  deploys: DeploysService;
  /** Undefined if the gateway publishes no sites. */
  customerDomains:
    | {
        service: DomainsService;
        platformHosts: PlatformHosts;
        obstaclesTo: (added: readonly Domain[], project: Project) => Promise<string[]>;
      }
    | undefined;
  usage: UsageService;
  traffic: TrafficService;
  audit: AuditStore;
  system: SystemStatus;
  /** Makes changes in the name of a caller, each with its audit record. Check the caller's role first. */
  administration: (changer: Changer) => Administration;
  /** Each operation's first version, stability and deprecation. */
  operations: Operations;
  config: Pick<Config, 'graphqlOperations'>;
  cacheStatistics: { documents: CacheStatistics; answers: CacheStatistics };
  tracing: Pick<Tracing, 'execution'>;
  log: Logger;
}
