import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { randomBase62 } from '../../../lib/random-id.js';
import type { AccountKey } from '../certificates/account-key.js';
import { createAcme } from '../certificates/acme.js';
import { SealError, type KeyRing } from '../certificates/key-ring.js';
import type { StepParts } from './steps.js';
import { createDns } from './dns/dns.js';
import { publicNamesOf } from './private-names.js';
import type { Domain } from './domain.js';
import type { DomainProgress, FailedValidations } from './domains-store.js';
import { createKeyRingWatch } from '../certificates/key-ring-watch.js';
import type { PlatformHosts } from './platform-hosts.js';
import { startPlatformHostsJob, type PlatformHostsJob } from './platform-hosts-job.js';
import { startStepsJob, type StepsJob } from './steps-job.js';
import { HOUR_MS, type Clock } from '../../../lib/clock.js';
import type { Logger } from '../../../lib/logger.js';

/** Background jobs for customers' domains. A gateway runs them; CLI commands do not. */
export interface DomainJobs {
  /**
   * Loads what the other methods need: ACME_CA_FILE, and the account at the certificate authority, which the first
   * gateway creates. Logs if the key ring lacks a key.
   * @throws Error when the file cannot be read
   */
  prepare: () => Promise<void>;
  /**
   * The account key, with which challenges are answered. Undefined before `prepare`, without a certificate authority, and
   * as long as the key ring cannot open it.
   */
  accountKey: () => AccountKey | undefined;
  /**
   * Starts to check DNS and to request certificates. If the key ring cannot open the account, starts once it can: until
   * then, the work is for other gateways. @throws like `prepare`
   */
  startJobs: () => Promise<void>;
  /** Makes the jobs look for work now. */
  wake: () => void;
  close: () => Promise<void>;
}

/** The settings of the certificate authority. */
interface Authority {
  directoryUrl: string;
  /** `mailto:` URLs. */
  contact: readonly string[];
  /** The PEM file of the root certificates to trust in place of the system's. */
  caFile: string | undefined;
  /** The authority's name for the kind of certificate. */
  profile: string | undefined;
}

/** The parts of `StepParts` that come from outside. The jobs add the rest. */
type GivenParts = Omit<
  StepParts,
  'dns' | 'authority' | 'newToken' | 'random' | 'onStep' | 'onPlatformCaa' | 'onSealed'
>;

/**
 * Milliseconds. Longer than any step: seven requests to an authority, or a dozen to DNS. Another gateway takes over the
 * domains of a killed gateway after this time.
 */
const LEASE_MS = 90_000;
const ACME_TIMEOUT_MS = 8000;
/** How long to wait before another try to open the account, milliseconds. */
const ACCOUNT_RETRY_MS = 10_000;
/** The longest time until this process notices a "Verify" made in another process, milliseconds. */
const SLEEP_MS = 2000;

export function createDomainJobs(
  given: GivenParts,
  {
    authority,
    dnsServers,
    platformHosts,
    failedValidations,
    accountKeyAt,
    usedKeyIds,
    log,
  }: {
    /** Undefined: the gateway requests no certificates. */
    authority: Authority | undefined;
    /** `ip[:port]` each; empty: the servers of the system. */
    dnsServers: readonly string[];
    platformHosts: Pick<PlatformHosts, 'certifyAll'>;
    failedValidations: FailedValidations;
    /** Returns the key of the account at the authority, which the first call creates. @throws SealError */
    accountKeyAt: (directoryUrl: string, keyRing: KeyRing) => Promise<AccountKey>;
    /** Returns the ids of the keys with which stored private keys are encrypted. */
    usedKeyIds: () => Promise<string[]>;
    log: Logger;
  },
): DomainJobs {
  const { keyRing, platformHost, siteBudget, clock } = given;
  const keyRingWatch = keyRing && createKeyRingWatch(keyRing.keyIds, usedKeyIds, log);
  /** Undefined until the account is open. */
  let ready: { accountKey: AccountKey | undefined; parts: StepParts } | undefined;
  let stepsJob: StepsJob | undefined;
  let platformHostsJob: PlatformHostsJob | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  /** Returns why the key ring cannot open the account; undefined if it can. */
  async function openAccount(): Promise<SealError | undefined> {
    try {
      const accountKey = authority && keyRing && (await accountKeyAt(authority.directoryUrl, keyRing));
      ready ??= { accountKey, parts: partsWith(accountKey) };
      return undefined;
    } catch (error) {
      if (error instanceof SealError) return error;
      throw error;
    }
  }

  function partsWith(accountKey: AccountKey | undefined): StepParts {
    const dns = publicNamesOf(createDns({ servers: dnsServers }), platformHost);
    return {
      ...given,
      dns,
      onStep: (before, after) => logStep(log, before, after),
      onPlatformCaa: platformCaaLog(log, clock),
      onSealed: ({ id: domainId }, { message }) =>
        log.error(
          { domainId, reason: message },
          'KEY_ENCRYPTION_KEYS cannot decrypt a certificate request; the gateway will retry in a minute',
        ),
      newToken: () => randomBase62(32),
      random: Math.random,
      authority:
        authority && keyRing && accountKey
          ? {
              acme: createAcme({
                directoryUrl: authority.directoryUrl,
                account: { key: accountKey, contact: authority.contact },
                ...(authority.caFile !== undefined && { ca: readFileSync(authority.caFile, 'utf8') }),
                now: clock,
                timeoutMs: ACME_TIMEOUT_MS,
              }),
              directoryUrl: authority.directoryUrl,
              keyRing,
              dns,
              platformHost,
              failedValidations,
              profile: authority.profile,
              clock,
              random: Math.random,
              newId: () => `crt_${randomBase62(16)}`,
            }
          : undefined,
    };
  }

  async function startJobs(): Promise<void> {
    clearTimeout(retry);
    if (ready === undefined) await openAccount();
    if (closed) return;
    if (ready === undefined) {
      retryLater();
      return;
    }
    stepsJob ??= startStepsJob(ready.parts, { leaseMs: LEASE_MS, sleepMs: SLEEP_MS }, (err, domainId) =>
      log.error({ err, domainId }, 'A step for a domain failed; the gateway will retry it'),
    );
    if (siteBudget === undefined) return;
    platformHostsJob ??= startPlatformHostsJob(
      platformHosts,
      () => stepsJob?.wake(),
      (err) => log.error({ err }, 'Could not check which sites need a certificate; the gateway will retry'),
    );
  }

  function retryLater(): void {
    // A read that fails is repeated too: MongoDB may be down.
    if (!closed) retry = setTimeout(() => void startJobs().catch(retryLater), ACCOUNT_RETRY_MS).unref();
  }

  return {
    async prepare() {
      // Before the account is opened, because that reseals it.
      await keyRingWatch?.begin();
      const sealed = await openAccount();
      if (sealed === undefined) return;
      log.error(
        { reason: sealed.message },
        `This gateway requests no certificates and answers no challenges until it can open the account at the certificate authority: ${sealed.message}`,
      );
    },
    accountKey: () => ready?.accountKey,
    async startJobs() {
      keyRingWatch?.start();
      await startJobs();
    },
    wake: () => stepsJob?.wake(),
    async close() {
      closed = true;
      clearTimeout(retry);
      keyRingWatch?.close();
      await Promise.all([platformHostsJob?.close(), stepsJob?.close()]);
    },
  };
}

/** The check of every domain finds the same records. */
const PLATFORM_CAA_LOG_MS = HOUR_MS;

/** Logs the records at most once an hour. */
function platformCaaLog(log: Logger, clock: Clock): StepParts['onPlatformCaa'] {
  let loggedAt = -Infinity;
  return ({ name, recordName, found, expected }) => {
    if (clock() - loggedAt < PLATFORM_CAA_LOG_MS) return;
    loggedAt = clock();
    log.error(
      { domain: name, recordName, found, expected },
      'A CAA record of the platform forbids the certificate authority: it issues no certificates for the domains that lead to this name. Add the expected record, or remove the CAA records',
    );
  };
}

/**
 * Logs a line when the DNS state, the certificate, the issuance or the problem of a domain changes. Polling an
 * unchanged order logs nothing.
 */
function logStep(log: Logger, before: Domain, after: DomainProgress): void {
  const [was, is] = [stateOf(before), stateOf(after)];
  if (isDeepStrictEqual(was, is)) return;
  const { id: domainId, projectId, name: domain } = before;
  const line = { domainId, projectId, domain, ...is, retryAt: after.problem?.retryAt };
  if (is.problem === undefined) log.info(line, 'A domain changed its state');
  else log.warn(line, 'A domain has a problem');
}

function stateOf({ dns, certificate, problem }: Pick<DomainProgress, 'dns' | 'certificate' | 'problem'>) {
  return {
    dns: dns.state,
    certificate: certificate.state,
    issuance: certificate.issuance?.state,
    serialNumber: certificate.current?.serialNumber,
    problem: problem?.code,
  };
}
