import type { Connection } from 'mongoose';
import type { ApiKeysStore } from './api-keys/api-keys-store.js';
import { createMongoApiKeysStore } from './api-keys/mongo-api-keys-store.js';
import type { AuditStore } from './audit/audit-store.js';
import { createMongoAuditStore } from './audit/mongo-audit-store.js';
import type { Config } from './config.js';
import type { DeploysStore } from './deploys/deploys-store.js';
import { createMongoDeploysStore } from './deploys/mongo-deploys-store.js';
import { noDomainStatistics, type DomainStatistics } from './domains/domain-statistics.js';
import { createMongoDomainStatistics } from './domains/mongo-domain-statistics.js';
import type { IdempotencyStore } from './idempotency/idempotency-store.js';
import { createMongoIdempotencyStore } from './idempotency/mongo-idempotency-store.js';
import type { Clock } from './lib/clock.js';
import type { Instruments } from './metrics/instruments.js';
import { timed } from './metrics/timed.js';
import { createMongoPetsStore } from './pets/mongo-pets-store.js';
import type { PetsStore } from './pets/pets-store.js';
import { createMongoProjectsStore } from './projects/mongo-projects-store.js';
import type { ProjectsStore } from './projects/projects-store.js';
import { createMongoStrikesStore } from './quotas/mongo-strikes-store.js';
import type { StrikesStore } from './quotas/strikes-store.js';
import { createMongoSessionsStore } from './sessions/mongo-sessions-store.js';
import type { SessionsStore } from './sessions/sessions-store.js';
import { createMongoUsageStore } from './usage/mongo-usage-store.js';
import type { UsageStore } from './usage/usage-store.js';

/** What is kept in MongoDB, each behind its contract. */
export interface Stores {
  apiKeys: ApiKeysStore;
  audit: AuditStore;
  deploys: DeploysStore;
  domainStatistics: DomainStatistics;
  idempotency: IdempotencyStore;
  pets: PetsStore;
  projects: ProjectsStore;
  sessions: SessionsStore;
  strikes: StrikesStore;
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
    sessions: createMongoSessionsStore(connection),
    strikes: createMongoStrikesStore(connection, ban),
    usage: createMongoUsageStore(connection),
  };
}
