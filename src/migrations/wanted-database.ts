import { apiKeysCollection } from '../api-keys/mongo-api-key-document.js';
import { auditCollection } from '../audit/mongo-audit-store.js';
import { acmeAccountsCollection } from '../certificates/mongo-acme-accounts.js';
import type { Config } from '../config.js';
import { blobsCollection } from '../deploys/mongo-blobs.js';
import { deploysCollection } from '../deploys/mongo-deploys-store.js';
import { STATISTICS_INDEXES } from '../domains/mongo-domain-statistics.js';
import { domainsCollection, holdingsCollection } from '../domains/mongo-domains-store.js';
import { failedValidationsCollection } from '../domains/mongo-failed-validations.js';
import { idempotencyCollection } from '../idempotency/mongo-idempotency-store.js';
import type { CollectionShape } from '../mongo/collection-shape.js';
import type { WantedDatabase } from '../mongo/pending-migrations.js';
import { petsCollection } from '../pets/mongo-pets-store.js';
import { projectsCollection, slugsCollection } from '../projects/mongo-projects-store.js';
import { countersCollection } from '../quotas/mongo-counters.js';
import { strikesCollection } from '../quotas/mongo-strikes-store.js';
import { sessionsCollection } from '../sessions/mongo-sessions-store.js';
import { usageCollection } from '../usage/mongo-usage-store.js';
import { VERSION } from '../version.js';
import { MIGRATION_STEPS } from './steps.js';

/** Of what can be turned off, what is on. */
export function wantedDatabase(config: Pick<Config, 'platformHost' | 'redisUrl'>): WantedDatabase {
  const collections = [
    ...EVERYWHERE,
    ...(config.platformHost === undefined ? [] : FOR_DOMAINS),
    ...(config.redisUrl === undefined ? [countersCollection] : []),
  ];
  return { version: VERSION, collections, steps: MIGRATION_STEPS };
}

const EVERYWHERE: readonly CollectionShape[] = [
  petsCollection,
  idempotencyCollection,
  projectsCollection,
  slugsCollection,
  apiKeysCollection,
  auditCollection,
  strikesCollection,
  sessionsCollection,
  usageCollection,
  blobsCollection,
  deploysCollection,
];

const FOR_DOMAINS: readonly CollectionShape[] = [
  { ...domainsCollection, indexes: [...domainsCollection.indexes, ...STATISTICS_INDEXES] },
  holdingsCollection,
  failedValidationsCollection,
  acmeAccountsCollection,
];
