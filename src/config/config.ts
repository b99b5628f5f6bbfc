import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { ConfigError } from './config-error.js';
import { domainConfig, domainFaults, domainSettings } from './domain-settings.js';
import type { ManifestEntry } from './operations-manifest.js';
import { LOGGED_ADDRESSES } from '../lib/logged-address.js';
import { isHostName } from '../lib/host-name.js';
import { parseRedisUrl } from '../lib/redis-url.js';
import { isSameSite } from '../lib/same-site.js';
import { describeUnknown, findUnknownSettings, type UnknownSetting } from './unknown-settings.js';
import { secretFileSettings, withSecretsFromFiles } from './secret-files.js';
import { listOf, portNumber, wholeNumber, yesOrNo } from './settings.js';
import { OTLP_SETTINGS, otlpFaults, otlpSettings } from './otlp-settings.js';

/** The named networks of Express that TRUST_PROXY accepts beside addresses and CIDR blocks. */
const NAMED_NETWORKS: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

const trustProxy = listOf(
  z.string().refine(isNetwork, 'must name addresses, CIDR blocks, or loopback, linklocal, uniquelocal'),
);

/** All settings. .env.example describes each of them. */
const schema = z.object({
  PORT: wholeNumber(0, 65_535, 3000),
  HOST: z.string().default('127.0.0.1'),
  APP_ENV: z.enum(['production', 'staging'], 'must be production or staging').default('production'),
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\/[^/]+/, 'must be a mongodb:// or mongodb+srv:// URI')
    .optional(),
  REDIS_URL: z
    .string()
    .superRefine((text, context) => {
      const fault = redisUrlFault(text);
      if (fault !== undefined) context.addIssue(fault);
    })
    .optional(),
  PUBLIC_URL: z
    .string()
    .refine(
      isOriginUrl,
      'must be http:// or https:// with a host, and at most a port: https://api.example.com',
    )
    .transform((text) => new URL(text).origin)
    .optional(),
  PLATFORM_HOST: z
    .string()
    .transform((text) => text.toLowerCase())
    .refine(isHostName, 'must be a host name without port, such as pets.example.net')
    .optional(),
  ...domainSettings,
  ...secretFileSettings,
  DATA_DIR: z.string().default('.data'),
  MONGOD_BINARY: z.string().optional(),
  CACHE_DIR: z.string().optional(),
  ADMIN_API_KEY: z
    .string()
    .regex(
      /^[\x21-\x7e]{24,255}$/,
      'must be 24 to 255 visible ASCII characters without spaces; make one with `openssl rand -hex 32`',
    )
    .optional(),
  SEED_DEMO: yesOrNo(true),
  TRUST_PROXY: trustProxy,
  KEY_CACHE_TTL_SECONDS: wholeNumber(1, 3600, 5),
  KEY_CACHE_MAX: wholeNumber(1, 1_000_000, 20_000),
  ANONYMOUS_REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000, 120),
  BROWSER_REQUESTS_PER_MINUTE_PER_IP: wholeNumber(1, 1_000_000, 30),
  ADMIN_REQUESTS_PER_MINUTE: wholeNumber(1, 10_000_000, 6000),
  DASHBOARD_REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000, 600),
  PLANS_NOTE: z.string().max(500, 'must be at most 500 characters').optional(),
  MAX_REQUESTS_IN_FLIGHT: wholeNumber(0, 1_000_000, 2000),
  MAX_REQUESTS_IN_FLIGHT_PER_KEY: wholeNumber(0, 1_000_000, 100),
  MAX_EVENT_LOOP_DELAY_MS: wholeNumber(0, 60_000, 1000),
  WORKERS: wholeNumber(1, 128, 1),
  QUOTA_NODES: wholeNumber(1, 10_000, 1),
  USAGE_RETENTION_DAYS: wholeNumber(1, 3650, 400),
  AUDIT_RETENTION_DAYS: wholeNumber(0, 3650, 730),
  DEPLOYS_KEPT: wholeNumber(1, 100, 10),
  STRIKES_PER_BAN: wholeNumber(1, 1000, 10),
  STRIKE_LOOP_SECONDS: wholeNumber(1, 300, 24),
  STRIKE_WINDOW_SECONDS: wholeNumber(1, 86_400, 300),
  BAN_SECONDS: wholeNumber(1, 86_400, 60),
  BAN_MAX_SECONDS: wholeNumber(1, 86_400, 3600),
  GRAPHQL_OPERATIONS_FILE: z.string().optional(),
  GRAPHQL_OPERATIONS_REQUIRED: z
    .enum(['browser', 'all', 'none'], 'must be browser, all or none')
    .default('browser'),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'silent'],
      'must be fatal, error, warn, info, debug or silent',
    )
    .default('info'),
  LOG_REQUESTS: z
    .string()
    .regex(/^(?:0|1|0?\.\d{1,6}|1\.0+)$/, 'must be a share from 0 to 1, such as 0.01')
    .transform(Number)
    .default(1),
  LOG_ADDRESSES: z.enum(LOGGED_ADDRESSES, 'must be full, shortened or none').default('shortened'),
  METRICS_PORT: portNumber.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(0, 600, 10),
});

/** The names of all settings. */
export const SETTINGS: readonly string[] = Object.keys(schema.shape);

export type Config = ReturnType<typeof parseConfig>;

/**
 * Parses the settings in `env` into a frozen object. An empty value counts as unset, because compose files pass unset
 * variables as empty values.
 * @throws ConfigError that names every fault; it never repeats values, because they may be secret
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>>) {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const secrets = withSecretsFromFiles(given);
  const parsed = schema.safeParse(secrets.settings);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`);
    throw new ConfigError([...secrets.faults, ...issues]);
  }
  const settings = parsed.data;
  const faults = [
    ...secrets.faults,
    ...hostFaults(settings.PUBLIC_URL, settings.PLATFORM_HOST),
    ...domainFaults(settings),
    ...otlpFaults(given),
  ];
  const { PORT, HTTP_PORT, HTTPS_PORT, METRICS_PORT } = settings;
  if (METRICS_PORT !== undefined && [PORT, HTTP_PORT, HTTPS_PORT].includes(METRICS_PORT))
    faults.push('METRICS_PORT must differ from PORT, HTTP_PORT and HTTPS_PORT');
  if (settings.BAN_MAX_SECONDS < settings.BAN_SECONDS)
    faults.push('BAN_MAX_SECONDS must not be less than BAN_SECONDS');
  if (faults.length > 0) throw new ConfigError(faults);

  return Object.freeze({
    port: settings.PORT,
    host: settings.HOST,
    environment: settings.APP_ENV,
    mongodbUri: settings.MONGODB_URI,
    redisUrl: settings.REDIS_URL,
    /** The operator's address as an origin: `https://api.example.com`. */
    publicUrl: settings.PUBLIC_URL,
    /** The host of `publicUrl`. Only the operator uses it. */
    operatorHost: settings.PUBLIC_URL === undefined ? undefined : new URL(settings.PUBLIC_URL).hostname,
    /**
     * Published sites are at `<slug>.<platformHost>`. Undefined: no sites are published, and the gateway ignores which
     * host a request names.
     */
    platformHost: settings.PLATFORM_HOST,
    ...domainConfig(settings),
    dataDir: resolve(settings.DATA_DIR),
    mongodBinary: settings.MONGOD_BINARY,
    cacheDir: resolve(settings.CACHE_DIR ?? join(userCache(given), 'pets-gateway')),
    path: given['PATH'] ?? '',
    adminApiKey: settings.ADMIN_API_KEY,
    seedDemo: settings.SEED_DEMO,
    trustProxy: settings.TRUST_PROXY,
    keyCache: { max: settings.KEY_CACHE_MAX, ttlMs: settings.KEY_CACHE_TTL_SECONDS * 1000 },
    anonymousRequestsPerMinute: settings.ANONYMOUS_REQUESTS_PER_MINUTE,
    browserRequestsPerMinutePerIp: settings.BROWSER_REQUESTS_PER_MINUTE_PER_IP,
    adminRequestsPerMinute: settings.ADMIN_REQUESTS_PER_MINUTE,
    dashboardRequestsPerMinute: settings.DASHBOARD_REQUESTS_PER_MINUTE,
    plansNote: settings.PLANS_NOTE,
    load: {
      maxInFlight: settings.MAX_REQUESTS_IN_FLIGHT,
      maxInFlightPerKey: settings.MAX_REQUESTS_IN_FLIGHT_PER_KEY,
      maxEventLoopDelayMs: settings.MAX_EVENT_LOOP_DELAY_MS,
    },
    workers: settings.WORKERS,
    quotaNodes: settings.QUOTA_NODES,
    usageRetentionDays: settings.USAGE_RETENTION_DAYS,
    /** 0: forever. */
    auditRetentionDays: settings.AUDIT_RETENTION_DAYS,
    /** The number of deploys kept for each project, to which the project can roll back. */
    deploysKept: settings.DEPLOYS_KEPT,
    ban: {
      loopSeconds: settings.STRIKE_LOOP_SECONDS,
      strikes: settings.STRIKES_PER_BAN,
      strikeWindowSeconds: settings.STRIKE_WINDOW_SECONDS,
      banSeconds: settings.BAN_SECONDS,
      maxBanSeconds: settings.BAN_MAX_SECONDS,
    },
    graphqlOperations: {
      file: settings.GRAPHQL_OPERATIONS_FILE,
      requiredFor: settings.GRAPHQL_OPERATIONS_REQUIRED,
      /** The content of the file, once the primary process has read it (`withListedOperations`). */
      listed: undefined as readonly ManifestEntry[] | undefined,
    },
    logLevel: settings.LOG_LEVEL,
    requestLog: { share: settings.LOG_REQUESTS, addresses: settings.LOG_ADDRESSES },
    metricsPort: settings.METRICS_PORT,
    metricsHost: settings.METRICS_HOST,
    /** Set if traces are exported. Undefined: OpenTelemetry is not loaded. */
    otlp: otlpSettings(given),
    shutdownGraceMs: settings.SHUTDOWN_GRACE_SECONDS * 1000,
  });
}

/**
 * Loads the settings of this process from its environment and from `.env` in the working directory. The environment has
 * precedence. @throws ConfigError, also for a name in `.env` that is a mistyped setting
 */
export function loadConfig(): Config {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
  } catch (error) {
    throw new ConfigError([`.env cannot be read: ${(error as Error).message}`]);
  }
  // Only in `.env`, which is the gateway's own: otherwise a mistyped MONGODB_URI starts an empty database.
  const mistyped = unknownSettings().filter(({ isInFile, meant }) => isInFile && meant !== undefined);
  if (mistyped.length > 0) throw new ConfigError(mistyped.map(describeUnknown));
  return parseConfig(process.env);
}

/** The names that are probably meant as settings but are none. Call `loadConfig` first, which reads `.env`. */
export function unknownSettings(): UnknownSetting[] {
  const namesIn = (env: NodeJS.ProcessEnv) => Object.keys(env).filter((name) => Boolean(env[name]));
  return findUnknownSettings([...SETTINGS, ...OTLP_SETTINGS], {
    environment: namesIn(process.env),
    file: existsSync('.env') ? namesIn(parseEnv(readFileSync('.env', 'utf8'))) : [],
  });
}

/** XDG Base Directory Specification 0.8, section 3. */
function userCache({ XDG_CACHE_HOME }: Readonly<Record<string, string | undefined>>): string {
  return XDG_CACHE_HOME ?? join(homedir(), '.cache');
}

function isNetwork(text: string): boolean {
  if (NAMED_NETWORKS.includes(text)) return true;
  return text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);
}

function redisUrlFault(text: string): string | undefined {
  try {
    parseRedisUrl(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function isOriginUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/`;
}

/**
 * Publishers write the scripts of their sites, so for browsers, these sites and the operator's pages must not be the
 * same site.
 */
function hostFaults(publicUrl: string | undefined, platformHost: string | undefined): string[] {
  if (platformHost === undefined) return [];
  if (publicUrl === undefined) return ['PLATFORM_HOST requires PUBLIC_URL, the address of your own host'];
  const { hostname } = new URL(publicUrl);
  if (hostname === platformHost || hostname.endsWith(`.${platformHost}`))
    return ['PUBLIC_URL must not be at or under PLATFORM_HOST: published sites could use its cookies'];
  if (isSameSite(hostname, `site.${platformHost}`))
    return [
      'PUBLIC_URL and PLATFORM_HOST must not share a registrable domain: for browsers, published sites and yours would be one site',
    ];
  return [];
}
