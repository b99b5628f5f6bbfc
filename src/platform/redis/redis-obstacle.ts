import type { RedisAddress } from '../../lib/redis-url.js';
import { withTimeout } from '../../lib/with-timeout.js';
import type { RedisConnection } from './redis-connection.js';

/** Why a `REDIS_URL` cannot work, and what to do. */
export interface RedisObstacle {
  /** Continues "REDIS_URL" or "Redis: ". */
  text: string;
  advice: string;
  /** A failover that is under way looks the same for some seconds. */
  mayPass?: boolean;
  /**
   * The settings are right, and Redis rejects charges in its present state: its memory is full, or it has too few
   * replicas. The gateway starts, as it does without Redis, and local limits apply.
   */
  isState?: boolean;
}

const TRIAL_MS = 2000;
const PERMISSIONS =
  'Allow it on keys that start with quota: to run EVAL, EVALSHA, HMGET, HGET, HSET, HINCRBY, HDEL, PEXPIRE, DEL, TIME and INFO, and in a cluster CLUSTER';

/** Errors of Redis that no waiting cures: the settings or the permissions must change. */
const OBSTACLES: readonly (readonly [RegExp, (message: string, address: RedisAddress) => RedisObstacle])[] = [
  [
    /\b(?:WRONGPASS|NOAUTH|ERR invalid password|ERR AUTH)\b/,
    (message) => ({
      text: `has the wrong credentials: ${message}`,
      advice:
        'Write redis://user:password@host:6379, with characters such as @ and / percent-encoded. The password of Sentinels is ?sentinelPassword=password at the end.',
    }),
  ],
  [
    /\bNOPERM\b|can't run this command|no permissions|unknown command/,
    (message) => ({ text: `names a user that may not count: ${message}`, advice: `${PERMISSIONS}.` }),
  ],
  [
    /cluster support disabled/,
    () => ({
      text: 'names a cluster, and its hosts are none',
      advice: 'Name one host, or the hosts of a Redis Cluster.',
    }),
  ],
  [
    /^(?:MOVED|CROSSSLOT)\b/,
    () => ({
      text: 'names one node of a Redis Cluster, which has only a part of the keys',
      advice: 'Name several nodes, separated by commas: redis://host:6379,host:6379.',
    }),
  ],
  [
    /\bREADONLY\b/,
    () => ({
      text: 'names a replica, which is read-only',
      advice: 'Name the primary, or the Sentinels: redis+sentinel://host:26379,host:26379/master-name.',
      mayPass: true,
    }),
  ],
  [
    /No such master|invalid reply: null/,
    (_message, { primaryName = '' }) => ({
      text: `names the master ${primaryName}, which the Sentinels do not know`,
      advice: 'Write the name that `sentinel monitor` has in sentinel.conf.',
    }),
  ],
];

/**
 * Finds out why Redis cannot hold quotas with these settings. Undefined: it can, or it does not answer now. Any error
 * that Redis sends is an obstacle, in Redis's own words.
 * @param count counts something, as a charge does; rejects with the error of Redis, or with that as its cause
 */
export async function findRedisObstacle(
  { client, address, failure }: RedisConnection,
  count: () => Promise<unknown>,
): Promise<RedisObstacle | undefined> {
  const describe = (message: string) =>
    OBSTACLES.find(([pattern]) => pattern.test(message))?.[1](message.replace(/\.$/, ''), address);
  if (client.status !== 'ready') return describe(failure() ?? '');
  if (address.kind !== 'cluster' && (await isClusterNode(client))) return describe('MOVED');
  try {
    // The second time, the script is in Redis's cache: EVALSHA.
    await withTimeout(count(), TRIAL_MS);
    await withTimeout(count(), TRIAL_MS);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
    return describe(reason.message) ?? (reason.name === 'ReplyError' ? stateOf(reason.message) : undefined);
  }
}

function stateOf(message: string): RedisObstacle {
  return {
    text: `names a Redis that rejects charges: ${message.replace(/\.$/, '')}`,
    advice:
      'Correct in Redis what this error names. Local limits apply to every key until Redis takes charges.',
    isState: true,
  };
}

/** One node may have all slots today. */
async function isClusterNode(client: RedisConnection['client']): Promise<boolean> {
  const info = await withTimeout(client.info('cluster'), TRIAL_MS).catch(() => '');
  return /^cluster_enabled:1/m.test(info);
}
