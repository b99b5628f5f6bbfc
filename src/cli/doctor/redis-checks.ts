import { createLogger } from '../../lib/logger.js';
import { connectRedis } from '../../platform/redis/redis-connection.js';
import { findRedisFaults } from '../../platform/redis/redis-settings.js';
import { fault, ok, warning, type Finding } from './finding.js';

const CHECK = 'Redis';

export async function checkRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return [ok(CHECK, 'not used: quotas are counted in MongoDB')];
  const { client, close } = await connectRedis(url, createLogger({ level: 'silent', pretty: false }));
  try {
    if (client.status !== 'ready')
      return [
        fault(
          CHECK,
          'cannot be reached',
          'Look at REDIS_URL; until then local limits are in force for every key.',
        ),
      ];
    const faults = await findRedisFaults(client);
    return faults.length === 0
      ? [ok(CHECK, 'appendonly yes, noeviction')]
      : faults.map((text) => warning(CHECK, text, 'See docs/reliability.md.'));
  } finally {
    await close();
  }
}
