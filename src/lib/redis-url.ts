export interface RedisHost {
  host: string;
  port: number;
}

/** What a `REDIS_URL` names. */
export interface RedisAddress {
  /** `sentinel`: the hosts are Sentinels, which know the primary of `primaryName`. */
  kind: 'server' | 'cluster' | 'sentinel';
  hosts: readonly RedisHost[];
  isEncrypted: boolean;
  username: string | undefined;
  password: string | undefined;
  database: number;
  primaryName: string | undefined;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
}

const FORMS =
  'must be redis://host:6379, redis://host:6379,host:6379 for a cluster, or redis+sentinel://host:26379,host:26379/master-name; rediss for TLS';
/** s, cluster or sentinel, credentials and hosts, path, query */
const PARTS = /^redis(s?)(\+cluster|\+sentinel|):\/\/([^/?#]*)(\/[^?#]*|)(\?[^#]*|)$/;
const DATABASE = /^\d{1,5}$/;
const SENTINEL_PARAMETERS = ['sentinelUsername', 'sentinelPassword'];

/**
 * Reads a `REDIS_URL`. Stricter than ioredis, which accepts any text as a host and reads its own options from a query.
 * @throws Error whose message continues "REDIS_URL"; it never repeats the URL, which may contain a password
 */
export function parseRedisUrl(text: string): RedisAddress {
  const [, s = '', named, authority = '', path = '', query] = PARTS.exec(text) ?? [];
  const credentials = authority.slice(0, authority.lastIndexOf('@') + 1);
  const names = authority.slice(credentials.length).split(',');
  const kind = kindOf(named, names.length);
  const hosts = names.map((name) => hostOf(name, credentials, kind === 'sentinel' ? 26379 : 6379));
  if (hosts.some((host) => host === undefined)) throw new Error(FORMS);
  const parts = path === '' || path === '/' ? [] : path.slice(1).split('/');
  const primaryName = kind === 'sentinel' ? parts.shift() : undefined;
  if (kind === 'sentinel' && (primaryName === undefined || primaryName === ''))
    throw new Error('must name the master after the Sentinels: redis+sentinel://host:26379/master-name');
  const [database = '0', ...more] = parts;
  if (!DATABASE.test(database) || more.length > 0) throw new Error(FORMS);
  if (kind === 'cluster' && Number(database) !== 0)
    throw new Error('must not name a database of a cluster: a Redis Cluster has only database 0');

  const parameters = new URLSearchParams(query);
  const allowed = kind === 'sentinel' ? SENTINEL_PARAMETERS : [];
  if ([...parameters.keys()].some((name) => !allowed.includes(name))) throw new Error(FORMS);
  const { username = '', password = '' } = hosts[0] ?? {};
  return {
    kind,
    hosts: hosts.flatMap((host) => (host === undefined ? [] : [{ host: host.host, port: host.port }])),
    isEncrypted: s !== '',
    username: username || undefined,
    password: password || undefined,
    database: Number(database),
    primaryName: primaryName && decode(primaryName),
    sentinelUsername: parameters.get('sentinelUsername') ?? undefined,
    sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
  };
}

function kindOf(named: string | undefined, hosts: number): RedisAddress['kind'] {
  if (named === '+sentinel') return 'sentinel';
  return named === '+cluster' || hosts > 1 ? 'cluster' : 'server';
}

function hostOf(name: string, credentials: string, defaultPort: number) {
  const text = `redis://${credentials}${name}`;
  if (!URL.canParse(text)) return undefined;
  const { hostname, port, username, password } = new URL(text);
  if (hostname === '') return undefined;
  return {
    // An IPv6 address has brackets only in a URL.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? defaultPort : Number(port),
    username: decode(username),
    password: decode(password),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`${FORMS}. Write a % of a password as %25`);
  }
}
