import type { Connection } from 'mongoose';
import type { ApiKeysStore } from '../features/keys/api-keys-store.js';
import { createMongoApiKeysStore } from '../features/keys/mongo-api-keys-store.js';
import type { AuditStore } from '../features/audit/audit-store.js';
import { createMongoAuditStore } from '../features/audit/mongo-audit-store.js';
import type { Config } from '../config/config.js';
import type { DeploysStore } from '../features/publishing/deploys/deploys-store.js';
import { createMongoDeploysStore } from '../features/publishing/deploys/mongo-deploys-store.js';
import {
  noDomainStatistics,
  type DomainStatistics,
} from '../features/publishing/domains/domain-statistics.js';
import { createMongoDomainStatistics } from '../features/publishing/domains/mongo-domain-statistics.js';
import type { IdempotencyStore } from '../features/pets/idempotency/idempotency-store.js';
import { createMongoIdempotencyStore } from '../features/pets/idempotency/mongo-idempotency-store.js';
import type { Clock } from '../lib/clock.js';
import type { Instruments } from '../observability/metrics/instruments.js';
import { timed } from '../observability/metrics/timed.js';
import { createMongoPetsStore } from '../features/pets/mongo-pets-store.js';
import type { PetsStore } from '../features/pets/pets-store.js';
import { createMongoProjectsStore } from '../features/projects/mongo-projects-store.js';
import type { ProjectsStore } from '../features/projects/projects-store.js';
import { createMongoStrikesStore } from '../features/quotas/mongo-strikes-store.js';
import type { StrikesStore } from '../features/quotas/strikes-store.js';
import { createMongoSessionsStore } from '../features/keys/sessions/mongo-sessions-store.js';
import type { SessionsStore } from '../features/keys/sessions/sessions-store.js';
import { createMongoTrafficStore } from '../features/usage/mongo-traffic-store.js';
import { createMongoSignInLinksStore } from '../features/keys/sessions/mongo-sign-in-links-store.js';
import type { SignInLinksStore } from '../features/keys/sessions/sign-in-link.js';
import { createMongoUsageStore } from '../features/usage/mongo-usage-store.js';
import type { TrafficStore } from '../features/usage/traffic-store.js';
import type { UsageStore } from '../features/usage/usage-store.js';

/** The stores in MongoDB, each behind its interface. */
export interface Stores {
  apiKeys: ApiKeysStore;
  audit: AuditStore;
  deploys: DeploysStore;
  domainStatistics: DomainStatistics;
  idempotency: IdempotencyStore;
  pets: PetsStore;
  projects: ProjectsStore;
  sessions: SessionsStore;
  signInLinks: SignInLinksStore;
  strikes: StrikesStore;
  traffic: TrafficStore;
  usage: UsageStore;
}

export function createStores(
  { ban, deploysKept, domainGraceMs, platformHost }: Config,
  connection: Connection,
  { timeStore }: Pick<Instruments, 'timeStore'>,
  clock: Clock,
): Stores {
  return {
    apiKeys: timed(createMongoApiKeysStore(connection, clock), timeStore('keys')),
    audit: createMongoAuditStore(connection),
    deploys: createMongoDeploysStore(connection, { kept: deploysKept }, clock),
    domainStatistics:
      platformHost === undefined
        ? noDomainStatistics
        : createMongoDomainStatistics(connection, { graceMs: domainGraceMs }),
    idempotency: createMongoIdempotencyStore(connection, clock),
    pets: timed(createMongoPetsStore(connection), timeStore('pets')),
    projects: createMongoProjectsStore(connection),
    sessions: createMongoSessionsStore(connection, clock),
    signInLinks: createMongoSignInLinksStore(connection),
    strikes: createMongoStrikesStore(connection, ban),
    traffic: createMongoTrafficStore(connection),
    usage: createMongoUsageStore(connection),
  };
}
