import type { Config } from '../../config/config.js';
import { createDns } from '../../features/publishing/domains/dns/dns.js';
import { findWrongKeys } from '../../features/publishing/certificates/mongo-acme-accounts.js';
import { usedKeyIds } from '../../features/publishing/domains/mongo-used-keys.js';
import type { Clock } from '../../lib/clock.js';
import { nodeFaultOf, SUPPORTED_NODES } from '../../lib/node-versions.js';
import { quotaStoreOf, type QuotaStoreKind } from '../../app/quota-stores.js';
import { wantedDatabase } from '../../app/migrations/wanted-database.js';
import type { Database } from '../../platform/mongod/database.js';
import { checkCertificates } from './certificate-checks.js';
import { fault, ok, warning, type Finding } from './finding.js';
import { checkHosts } from './host-checks.js';
import { checkAdminKey, checkKeyRing } from './key-checks.js';
import { checkMachine } from './machine-checks.js';
import type { UnknownSetting } from '../../config/unknown-settings.js';
import { checkMistakenNames } from './mistaken-names.js';
import { checkMongo, hasAdminKey } from './mongo-checks.js';
import { checkPending } from './mongo-migrations.js';
import { checkOperations } from './operations-checks.js';
import { checkVisitorPorts } from './port-checks.js';
import { checkTraces } from './trace-checks.js';

/** Checks everything that the gateway depends on. A check that fails to run is a finding too. */
export async function examine(
  config: Config,
  unknown: readonly UnknownSetting[],
  open: () => Promise<Database>,
  clock: Clock,
): Promise<Finding[]> {
  const dns = createDns({ servers: config.dnsServers });
  const apart = Promise.all([
    found('quota store', () => checkQuotaStore(quotaStoreOf(config))),
    found('DNS', () => checkHosts(config, dns)),
    found('ports', () => checkVisitorPorts(config, dns)),
    found('HTTPS', () => checkCertificates(config, dns, clock)),
    found('GRAPHQL_OPERATIONS_FILE', () => checkOperations(config)),
    found('traces', () => checkTraces(config)),
  ]);
  const findings = [
    checkNode(clock()),
    ...checkMistakenNames(unknown),
    ...(await examineDatabase(config, open, clock)),
  ];
  // After the database, because opening the database creates DATA_DIR.
  return [...findings, ...(await apart).flat(), ...(await found('this machine', () => checkMachine(config)))];
}

/** The findings of a check, or a fault if the check cannot run. */
async function found(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [fault(check, (error as Error).message, 'Correct this first. Then run doctor again.')];
  }
}

async function examineDatabase(
  config: Config,
  open: () => Promise<Database>,
  clock: Clock,
): Promise<Finding[]> {
  let database: Database;
  try {
    database = await open();
  } catch (error) {
    return [
      fault(
        'MongoDB',
        (error as Error).message,
        'The gateway needs MongoDB. Correct this first; see docs/reliability.md.',
      ),
    ];
  }
  try {
    const { connection } = database;
    const now = new Date(clock());
    return [
      ...(await found('MongoDB', () => checkMongo(connection, clock()))),
      ...(await found('migrations', () => checkPending(connection, wantedDatabase(config)))),
      ...(await found('admin key', async () => [checkAdminKey(config, await hasAdminKey(connection, now))])),
      ...(await found('KEY_ENCRYPTION_KEYS', async () =>
        checkKeyRing(
          config,
          await usedKeyIds(connection),
          await findWrongKeys(connection, config.encryptionKeys),
        ),
      )),
    ];
  } finally {
    await database.close();
  }
}

/** npm only warns about a Node version that is too old. */
function checkNode(nowMs: number): Finding {
  const { node: version } = process.versions;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    return fault('Node', `${version} is too old`, `Install Node ${SUPPORTED_NODES}.`);
  return nodeFaultOf(version, nowMs) === undefined
    ? ok('Node', version)
    : warning('Node', `${version} is past its end of life`, `Install Node ${SUPPORTED_NODES}.`);
}

async function checkQuotaStore(store: QuotaStoreKind): Promise<Finding[]> {
  const { check, summary, faults } = await store.check();
  if (faults.length === 0) return [ok(check, summary)];
  return faults.map(({ text, advice, isOutage }) => (isOutage ? fault : warning)(check, text, advice));
}
