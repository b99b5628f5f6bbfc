import { parseConfig } from '../../src/config/config.js';
import { systemClock } from '../../src/lib/clock.js';
import { createLogger } from '../../src/lib/logger.js';
import { prepareDatabase } from '../../src/app/migrations/prepare-database.js';
import type { CustomQuota } from '../../src/features/plans/plans.js';
import { createServices } from '../../src/app/services.js';
import type { Keys } from '../load.js';
import { connect } from './database.js';

/**
 * Whose requests they are:
 * - `none`: nobody's, there is no Authorization header;
 * - `one`, `hundred`: keys whose custom quota is never near its end;
 * - `pro`: Pro keys one after the other, each from its first request until just under its limit, so that on the
 *   way there the limiter meets every count it can;
 * - `used-up`: a key with nothing left.
 */
export type KeyUse = 'none' | 'one' | 'hundred' | 'pro' | 'used-up';

export interface GatewayKeys {
  /** @param seconds how long a load they have to last for */
  of: (use: KeyUse, seconds: number) => Promise<Keys>;
  close: () => Promise<void>;
}

/** Never near its end. */
export const AMPLE: CustomQuota = { requestsPerMinute: 10_000_000, requestsPerDay: 10_000_000 };
const ONE_A_DAY: CustomQuota = { requestsPerMinute: 1, requestsPerDay: 1 };
/** Of a Pro key's 300 a minute. Few enough that requests under way when the keys come round again are no 301st. */
const REQUESTS_PER_PRO_KEY = 290;
/** More than any target does: keys that come round again within their minute would be refused. */
const MAX_REQUESTS_PER_SECOND = 25_000;

/** Makes keys in a gateway's database, as its command line does. */
export async function openGatewayKeys(uri: string): Promise<GatewayKeys> {
  const connection = await connect(uri);
  const log = createLogger({ level: 'error', pretty: false });
  const config = parseConfig({ MONGODB_URI: uri });
  await prepareDatabase(config, connection, log);
  const services = await createServices(config, connection, log, systemClock);

  const projectOn = async (plan: 'pro' | 'enterprise', customQuota?: CustomQuota) => {
    const { id } = await services.projects.create({ name: `bench ${plan}`, plan, customQuota });
    return (count: number): Promise<string[]> =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const { secret } = await services.apiKeys.create({ name: 'bench', projectId: id });
          return secret;
        }),
      );
  };
  const [ample, pro, oneADay] = await Promise.all([
    projectOn('enterprise', AMPLE),
    projectOn('pro'),
    projectOn('enterprise', ONE_A_DAY),
  ]);
  const [hundred, usedUp] = await Promise.all([ample(100), oneADay(1)]);

  return {
    async of(use, seconds) {
      switch (use) {
        case 'none':
          return { secrets: [], requestsPerKey: 1 };
        case 'one':
          return { secrets: hundred.slice(0, 1), requestsPerKey: 1 };
        case 'hundred':
          return { secrets: hundred, requestsPerKey: 1 };
        case 'pro': {
          // New ones for each load: their windows have not begun.
          const count = Math.ceil((seconds * MAX_REQUESTS_PER_SECOND) / REQUESTS_PER_PRO_KEY);
          return { secrets: await pro(count), requestsPerKey: REQUESTS_PER_PRO_KEY };
        }
        case 'used-up':
          return { secrets: usedUp, requestsPerKey: 1 };
      }
    },
    async close() {
      await services.close();
      await connection.close();
    },
  };
}
