import { createRequire } from 'node:module';
import type * as Ioredis from 'ioredis';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { Logger } from '../../lib/logger.js';
import { parseRedisUrl, type RedisAddress } from '../../lib/redis-url.js';
import { withTimeout } from '../../lib/with-timeout.js';

export interface RedisConnection {
  client: Redis | Cluster;
  address: RedisAddress;
  /** Why there is no connection; undefined: there is one, or nothing has failed yet. */
  failure: () => string | undefined;
  /** Sends QUIT and waits up to 1 s for pending commands, then disconnects. */
  close: () => Promise<void>;
}

/**
 * Waits this long for Redis at the start, so that a gateway beside a running Redis starts with its counts and not with
 * local limits, and does not start if they cannot work.
 */
const FIRST_CONNECT_MS = 5000;
const CONNECT_TIMEOUT_MS = 5000;
/**
 * How long a connection with outstanding replies may be silent before it is closed and reopened. Callers have shorter
 * timeouts.
 */
const SILENCE_MS = 10_000;
const MAX_RETRY_MS = 2000;
const CLOSE_MS = 1000;
const CLOSED = 'the connection was closed';

const load = createRequire(__filename);

/** Loads the library at its first use: a gateway that counts in MongoDB does not need it. */
function loadIoredis(): typeof Ioredis {
  return load('ioredis') as typeof Ioredis;
}

/**
 * Opens connections that reconnect forever. Resolves when Redis answers or the first attempt has failed, after 5 s at
 * most: an unreachable Redis does not block the start. A command that may have been executed is never sent again,
 * because a repeated increment would make the count wrong. Only ready connections take commands: see `status`.
 *
 * Logs only the message of an error: its other fields repeat the command, and AUTH contains the password.
 * @throws errors of parseRedisUrl
 */
export async function connectRedis(url: string, log: Logger): Promise<RedisConnection> {
  const address = parseRedisUrl(url);
  const client = address.kind === 'cluster' ? clusterAt(address) : serverAt(address);
  const failure = logChanges(client, log);
  const failed = new Promise<void>((resolve) => void client.once('error', () => resolve()));
  await withTimeout(Promise.race([client.connect(), failed]), FIRST_CONNECT_MS).catch(
    () => undefined /* It goes on trying. */,
  );
  let isClosing = false;
  client.on('end', () => {
    // ioredis gives up if Sentinels name another primary during an attempt to connect.
    const again = () => isClosing || void client.connect().catch(() => undefined);
    if (!isClosing) setTimeout(again, retryAfterMs(1)).unref();
  });
  return {
    client,
    address,
    failure,
    close() {
      isClosing = true;
      return close(client);
    },
  };
}

function optionsOf({
  username,
  password,
  isEncrypted,
  database,
}: RedisAddress): Omit<RedisOptions, 'replyMapping'> {
  return {
    lazyConnect: true,
    connectionName: 'pets-gateway',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    retryStrategy: retryAfterMs,
    // A primary that became a replica rejects writes. After a reconnect, the host name may resolve to the new primary,
    // and the Sentinels name it. Redis 6.2 puts the word inside the error of the script.
    reconnectOnError: ({ message }) => /\bREADONLY\b/.test(message),
    db: database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(isEncrypted && { tls: {} }),
  };
}

function serverAt(address: RedisAddress): Redis {
  const { kind, hosts, primaryName, isEncrypted, sentinelUsername, sentinelPassword } = address;
  const [first] = hosts;
  const { Redis } = loadIoredis();
  if (kind === 'server') return new Redis({ ...optionsOf(address), ...first });
  return new Redis({
    ...optionsOf(address),
    sentinels: [...hosts],
    ...(primaryName !== undefined && { name: primaryName }),
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(isEncrypted && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    sentinelRetryStrategy: retryAfterMs,
    // Leaves a primary that the Sentinels have replaced, even if it answers or keeps the connection open.
    failoverDetector: true,
  });
}

/**
 * Commands wait for the connection to a node that is new: a slot moved there, or the node became a primary. Commands
 * that a node has not executed (MOVED, ASK, TRYAGAIN) are sent to the node that it names.
 */
function clusterAt(address: RedisAddress): Cluster {
  const { Cluster } = loadIoredis();
  return new Cluster([...address.hosts], {
    lazyConnect: true,
    redisOptions: optionsOf(address),
    clusterRetryStrategy: retryAfterMs,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // A certificate is for the name of a host.
    dnsLookup: (host, found) => found(null, host),
  });
}

/**
 * 50 to 100 ms at first, doubling with each attempt up to 2 s. Random, so that gateways do not all reconnect at once.
 */
function retryAfterMs(attempt: number): number {
  const longestMs = Math.min(100 * 2 ** Math.min(attempt - 1, 10), MAX_RETRY_MS);
  return Math.round(longestMs * (0.5 + Math.random() / 2));
}

/**
 * Logs once when Redis becomes unreachable and once when it is reachable again, not at each attempt. Returns a function
 * that gives the reason of the last failure.
 */
function logChanges(client: Redis | Cluster, log: Logger): () => string | undefined {
  let logged: 'nothing' | 'there' | 'gone' = 'nothing';
  let reason: string | undefined;
  let reasonOfSentinel: string | undefined;
  const gone = () => {
    if (logged !== 'gone') log.warn({ reason: reason ?? CLOSED }, 'Redis is unreachable; reconnecting');
    logged = 'gone';
  };
  // This listener also keeps ioredis from printing errors itself.
  client.on('error', (error: Error & { lastNodeError?: Error | null }) => {
    const { message } = error.lastNodeError ?? error;
    reason = message.startsWith('All sentinels are unreachable') ? (reasonOfSentinel ?? message) : message;
    gone();
  });
  client.on('sentinelError', ({ message }: Error) => {
    reasonOfSentinel = message;
  });
  client.on('reconnecting', gone);
  client.on('ready', () => {
    if (logged === 'gone') log.info('Redis is reachable again');
    logged = 'there';
    reason = undefined;
  });
  return () => reason;
}

async function close(client: Redis | Cluster): Promise<void> {
  await withTimeout(client.quit(), CLOSE_MS).catch(() => undefined);
  client.disconnect();
}
