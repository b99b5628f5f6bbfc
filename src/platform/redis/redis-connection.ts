import { Redis } from 'ioredis';
import type { Logger } from '../../lib/logger.js';
import { withTimeout } from '../../lib/with-timeout.js';

export interface RedisConnection {
  client: Redis;
  /** Lets what is under way finish, shortly. */
  close: () => Promise<void>;
}

/** A gateway that starts beside a Redis that is there should begin with its counts, not with local limits. */
const FIRST_CONNECT_MS = 2000;
const CONNECT_TIMEOUT_MS = 5000;
/** Silence on a connection that owes answers: it is given up and made anew. Whoever asks waits less than this. */
const SILENCE_MS = 10_000;
const MAX_RETRY_MS = 2000;
const CLOSE_MS = 1000;

/**
 * A connection that comes back by itself, for ever. Resolves when Redis answers, or when it is certain that it does not
 * at present: a Redis that is down stops no start. Commands are never kept for later nor sent twice, since nobody could
 * say what a late or a second increment counts; without a connection they fail at once.
 *
 * Errors are logged by their message alone: their other fields repeat the command, and AUTH carries the password.
 */
export async function connectRedis(url: string, log: Logger): Promise<RedisConnection> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectionName: 'pets-gateway',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    retryStrategy: retryAfterMs,
    // A primary that became a replica refuses writes; the name may lead to the new one.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });
  logChanges(client, log);
  await withTimeout(client.connect(), FIRST_CONNECT_MS).catch(() => undefined /* It goes on trying. */);
  return { client, close: () => close(client) };
}

/** Some 50 ms at first, doubling, with a part of chance so that gateways do not all come at once. */
function retryAfterMs(attempt: number): number {
  const longestMs = Math.min(100 * 2 ** Math.min(attempt - 1, 10), MAX_RETRY_MS);
  return Math.round(longestMs * (0.5 + Math.random() / 2));
}

/** Once when Redis goes and once when it comes, however often it is tried in between. */
function logChanges(client: Redis, log: Logger): void {
  let told: 'nothing' | 'there' | 'gone' = 'nothing';
  let reason = 'the connection was closed';
  const gone = () => {
    if (told !== 'gone') log.warn({ reason }, 'Redis cannot be reached; trying again until it can');
    told = 'gone';
  };
  // Also keeps ioredis from printing errors itself.
  client.on('error', ({ message }: Error) => {
    reason = message;
    gone();
  });
  client.on('reconnecting', gone);
  client.on('ready', () => {
    if (told === 'gone') log.info('Redis is reached again');
    told = 'there';
    reason = 'the connection was closed';
  });
}

async function close(client: Redis): Promise<void> {
  await withTimeout(client.quit(), CLOSE_MS).catch(() => undefined);
  client.disconnect();
}
