import { Redis } from 'ioredis';
import type { Logger } from '../../lib/logger.js';
import { withTimeout } from '../../lib/with-timeout.js';

export interface RedisConnection {
  client: Redis;
  /** Sends QUIT and waits up to 1 s for pending commands, then disconnects. */
  close: () => Promise<void>;
}

/**
 * Waits this long for Redis at the start, so that a gateway beside a running Redis starts with its counts and not with
 * local limits.
 */
const FIRST_CONNECT_MS = 2000;
const CONNECT_TIMEOUT_MS = 5000;
/**
 * How long a connection with outstanding replies may be silent before it is closed and reopened. Callers have shorter
 * timeouts.
 */
const SILENCE_MS = 10_000;
const MAX_RETRY_MS = 2000;
const CLOSE_MS = 1000;

/**
 * Opens a connection that reconnects forever. Resolves when Redis answers or the first attempt has failed, after 2 s at
 * most: an unreachable Redis does not block the start. Commands are never queued or resent, because a late or repeated
 * increment would make the count wrong. Without a connection, commands fail at once.
 *
 * Logs only the message of an error: its other fields repeat the command, and AUTH contains the password.
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
    // A primary that became a replica rejects writes. After a reconnect, the host name may resolve to the new primary.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });
  logChanges(client, log);
  await withTimeout(client.connect(), FIRST_CONNECT_MS).catch(() => undefined /* It goes on trying. */);
  return { client, close: () => close(client) };
}

/**
 * 50 to 100 ms at first, doubling with each attempt up to 2 s. Random, so that gateways do not all reconnect at once.
 */
function retryAfterMs(attempt: number): number {
  const longestMs = Math.min(100 * 2 ** Math.min(attempt - 1, 10), MAX_RETRY_MS);
  return Math.round(longestMs * (0.5 + Math.random() / 2));
}

/** Logs once when Redis becomes unreachable and once when it is reachable again, not at each attempt. */
function logChanges(client: Redis, log: Logger): void {
  let told: 'nothing' | 'there' | 'gone' = 'nothing';
  let reason = 'the connection was closed';
  const gone = () => {
    if (told !== 'gone') log.warn({ reason }, 'Redis is unreachable; reconnecting');
    told = 'gone';
  };
  // This listener also keeps ioredis from printing errors itself.
  client.on('error', ({ message }: Error) => {
    reason = message;
    gone();
  });
  client.on('reconnecting', gone);
  client.on('ready', () => {
    if (told === 'gone') log.info('Redis is reachable again');
    told = 'there';
    reason = 'the connection was closed';
  });
}

async function close(client: Redis): Promise<void> {
  await withTimeout(client.quit(), CLOSE_MS).catch(() => undefined);
  client.disconnect();
}
