import { apiKeysCollection } from '../../features/keys/mongo-api-key-document.js';
import { waitingUsesCollection } from '../../features/keys/mongo-waiting-uses.js';
import { auditCollection } from '../../features/audit/mongo-audit-store.js';
import { acmeAccountsCollection } from '../../features/publishing/certificates/mongo-acme-accounts.js';
import type { Config } from '../../config/config.js';
import { deployFilesCollection } from '../../features/publishing/deploys/mongo-deploy-files.js';
import { deploysCollection } from '../../features/publishing/deploys/mongo-deploys-store.js';
import { STATISTICS_INDEXES } from '../../features/publishing/domains/mongo-domain-statistics.js';
import {
  domainsCollection,
  holdingsCollection,
} from '../../features/publishing/domains/mongo-domains-store.js';
import { failedValidationsCollection } from '../../features/publishing/domains/mongo-failed-validations.js';
import { idempotencyCollection } from '../../features/pets/idempotency/mongo-idempotency-store.js';
import type { CollectionShape } from '../../platform/mongo/collection-shape.js';
import type { WantedDatabase } from '../../platform/mongo/pending-migrations.js';
import {
  petsImportRowsCollection,
  petsImportsCollection,
} from '../../features/synchronization/mongo-pets-imports-store.js';
import { petsCollection } from '../../features/pets/mongo-pets-store.js';
import { projectsCollection, slugsCollection } from '../../features/projects/mongo-projects-store.js';
import { strikesCollection } from '../../features/quotas/mongo-strikes-store.js';
import { sessionsCollection } from '../../features/keys/sessions/mongo-sessions-store.js';
import { trafficCollection } from '../../features/usage/mongo-traffic-store.js';
import { signInLinksCollection } from '../../features/keys/sessions/mongo-sign-in-links-store.js';
import { usageCollection } from '../../features/usage/mongo-usage-store.js';
import { VERSION } from '../../lib/version.js';
import { quotaStoreOf, type QuotaStoreSettings } from '../quota-stores.js';
import { MIGRATION_STEPS } from './steps.js';

/**
 * The collections and steps that this version needs with these settings. Leaves out the collections of features that
 * are off.
 */
export function wantedDatabase(config: Pick<Config, 'platformHost'> & QuotaStoreSettings): WantedDatabase {
  const collections = [
    ...EVERYWHERE,
    ...(config.platformHost === undefined ? [] : FOR_DOMAINS),
    ...quotaStoreOf(config).wantedCollections,
  ];
  return { version: VERSION, collections, steps: MIGRATION_STEPS };
}

const EVERYWHERE: readonly CollectionShape[] = [
  petsCollection,
  petsImportsCollection,
  petsImportRowsCollection,
  idempotencyCollection,
  projectsCollection,
  slugsCollection,
  apiKeysCollection,
  waitingUsesCollection,
  auditCollection,
  strikesCollection,
  sessionsCollection,
  signInLinksCollection,
  usageCollection,
  trafficCollection,
  deployFilesCollection,
  deploysCollection,
];

const FOR_DOMAINS: readonly CollectionShape[] = [
  { ...domainsCollection, indexes: [...domainsCollection.indexes, ...STATISTICS_INDEXES] },
  holdingsCollection,
  failedValidationsCollection,
  acmeAccountsCollection,
];
