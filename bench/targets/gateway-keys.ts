import { parseConfig } from '../../src/config/config.js';
import type { PetDocument } from '../../src/features/pets/mongo-pet-document.js';
import { systemClock } from '../../src/lib/clock.js';
import { createLogger } from '../../src/lib/logger.js';
import { prepareDatabase } from '../../src/app/migrations/prepare-database.js';
import type { CustomQuota } from '../../src/features/plans/plans.js';
import { createServices } from '../../src/app/services.js';
import { API_KEYS_COLLECTION, type ApiKeyDocument } from '../../src/features/keys/mongo-api-key-document.js';
import type { Keys } from '../load.js';
import { copyKey } from './copy-key.js';
import { ownIdsOf } from '../workloads.js';
import { connect } from './database.js';

/**
 * Whose requests they are:
 * - `none`: nobody's, there is no Authorization header;
 * - `one`, `hundred`, `thousand`, `ten-thousand`: keys whose custom quota is never near its end, drawn at random;
 * - `new`: keys that have never been used, each for one request;
 * - `pro`: Pro keys one after the other, each from its first request until just under its limit, so that on the
 *   way there the limiter meets every count it can;
 * - `used-up`: a key with nothing left.
 */
export type KeyUse = 'none' | 'one' | 'hundred' | 'thousand' | 'ten-thousand' | 'new' | 'pro' | 'used-up';

export interface GatewayKeys {
  /** @param seconds how long a load they have to last for */
  of: (use: KeyUse, seconds: number) => Promise<Keys>;
  /** Keys that have never been used, with their ids. */
  fresh: (count: number) => Promise<readonly FreshKey[]>;
  /** The secret of an admin key. */
  admin: () => Promise<string>;
  close: () => Promise<void>;
}

export interface FreshKey {
  id: string;
  secret: string;
}

/** Never near its end. */
export const AMPLE: CustomQuota = { requestsPerMinute: 10_000_000, requestsPerDay: 10_000_000 };
const ONE_A_DAY: CustomQuota = { requestsPerMinute: 1, requestsPerDay: 1 };
/** Of a Pro key's 300 a minute. Few enough that requests under way when the keys come round again are no 301st. */
const REQUESTS_PER_PRO_KEY = 290;
/** More than any target does: keys that come round again within their minute would be refused. */
const MAX_REQUESTS_PER_SECOND = 25_000;
/** The same for new keys: each is looked up and counted for the first time. */
const MAX_NEW_PER_SECOND = 8000;

/**
 * Makes keys in a gateway's database, as its command line does.
 * @param pets how many there are. The project of the keys with an ample quota gets a tenth, and those of the workloads
 */
export async function openGatewayKeys(uri: string, pets = 0): Promise<GatewayKeys> {
  const connection = await connect(uri);
  const log = createLogger({ level: 'error', pretty: false });
  const config = parseConfig({ MONGODB_URI: uri });
  await prepareDatabase(config, connection, log);
  const services = await createServices(config, connection, log, systemClock);

  const documents = connection
    .getClient()
    .db(connection.name)
    .collection<ApiKeyDocument>(API_KEYS_COLLECTION);

  const projectOn = async (plan: 'pro' | 'enterprise', customQuota?: CustomQuota) => {
    const { id } = await services.projects.create({ name: `bench ${plan}`, plan, customQuota });
    const first = await services.apiKeys.create({ name: 'bench', projectId: id });
    const document = await documents.findOne({ _id: first.apiKey.id });
    if (document === null) throw new Error('the key is not there');
    const keys = async (count: number): Promise<FreshKey[]> => {
      const copies = Array.from({ length: count }, () => copyKey(document));
      await documents.insertMany(
        copies.map(({ copy }) => copy),
        { ordered: false },
      );
      return copies.map(({ secret, copy }) => ({ id: copy._id, secret }));
    };
    return { id, keys };
  };
  const [ample, pro, oneADay] = await Promise.all([
    projectOn('enterprise', AMPLE),
    projectOn('pro'),
    projectOn('enterprise', ONE_A_DAY),
  ]);
  const secretsOf = (keys: readonly FreshKey[]) => keys.map(({ secret }) => secret);
  const many = secretsOf(await ample.keys(10_000));
  const usedUp = secretsOf(await oneADay.keys(1));
  const petDocuments = connection.getClient().db(connection.name).collection<PetDocument>('pets');
  const own = { _id: { $in: ownIdsOf(pets).map(BigInt) } };
  await petDocuments.updateMany(own, { $set: { projectId: ample.id } });

  return {
    async of(use, seconds) {
      switch (use) {
        case 'none':
          return { secrets: [] };
        case 'one':
          return { secrets: many.slice(0, 1) };
        case 'hundred':
          return { secrets: many.slice(0, 100) };
        case 'thousand':
          return { secrets: many.slice(0, 1000) };
        case 'ten-thousand':
          return { secrets: many };
        case 'new':
          return { secrets: secretsOf(await ample.keys(seconds * MAX_NEW_PER_SECOND)), requestsPerKey: 1 };
        case 'pro': {
          // New ones for each load: their windows have not begun.
          const count = Math.ceil((seconds * MAX_REQUESTS_PER_SECOND) / REQUESTS_PER_PRO_KEY);
          return { secrets: secretsOf(await pro.keys(count)), requestsPerKey: REQUESTS_PER_PRO_KEY };
        }
        case 'used-up':
          return { secrets: usedUp };
      }
    },
    fresh: ample.keys,
    admin: async () => (await services.apiKeys.create({ name: 'bench', role: 'admin' })).secret,
    async close() {
      await services.close();
      await connection.close();
    },
  };
}
