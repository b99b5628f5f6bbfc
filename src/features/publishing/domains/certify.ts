import type { Acme } from '../certificates/acme.js';
import { AcmeError, type AcmeFailure } from '../certificates/acme-failure.js';
import { resealIssuance, resealPrivateKey, startIssuance, type Issuance } from '../certificates/issuance.js';
import { SealError, type KeyRing } from '../certificates/key-ring.js';
import { nextStep } from '../certificates/next-step.js';
import { planRenewal } from '../certificates/renewal-time.js';
import type { Clock } from '../../../lib/clock.js';
import { isStagingDirectory } from '../../../lib/lets-encrypt.js';
import { inTime, type Check } from './dns/check.js';
import { checkCaa, recordToAdd } from './dns/check-caa.js';
import type { Dns } from './dns/dns.js';
import { maskPrivateAddresses } from './dns/private-addresses.js';
import type { CertificateTrack, Domain, StoredCertificate } from './domain.js';
import type { FailedValidations } from './domains-store.js';
import type { Fault, RejectionCause } from './problem.js';

export interface CertifyParts {
  acme: Acme;
  /** The directory of `acme`. */
  directoryUrl: string;
  keyRing: KeyRing;
  dns: Dns;
  platformHost: string;
  failedValidations: FailedValidations;
  /** The authority's name for the kind of certificate. */
  profile: string | undefined;
  clock: Clock;
  /** Returns a number in [0, 1). */
  random: () => number;
  newId: () => string;
}

export interface Certified {
  certificate: CertificateTrack;
  fault: Fault | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Let's Encrypt rejects a host after five failed validations in an hour. */
const MAX_FAILED_VALIDATIONS = 4;
const FIRST_RETRY_MS = 5 * MINUTE_MS;
const LONGEST_RETRY_MS = 6 * HOUR_MS;

/**
 * Takes one step towards a domain's first certificate, or towards its renewal. A verified domain without a certificate
 * starts an attempt: it checks CAA records first, then creates the key and the order (next-step.ts). A certificate is
 * renewed when the authority advises it, or when a third of its lifetime is left. A certificate from a staging directory
 * is replaced once the authority is another one. The old certificate is served until the new one is stored.
 */
export async function certify(domain: Domain, parts: CertifyParts): Promise<Certified> {
  const { issuance, current } = domain.certificate;
  if (issuance !== undefined) return goOn(domain, issuance, parts);
  // A failed renewal stays due: `nextAt` was the wait before this attempt.
  if (current === undefined || domain.certificate.failures > 0 || isForTests(current, parts))
    return begin(domain, parts);
  const { certificate, renewAt } = await withPlan(domain.certificate, current, parts);
  return renewAt.getTime() <= parts.clock()
    ? begin({ ...domain, certificate }, parts)
    : { certificate, fault: undefined };
}

/** Whether the certificate comes from a staging directory that is no longer the authority: no browser trusts it. */
export function isForTests(
  { directoryUrl }: Pick<StoredCertificate, 'directoryUrl'>,
  authority: Pick<CertifyParts, 'directoryUrl'>,
): boolean {
  return isStagingDirectory(directoryUrl) && directoryUrl !== authority.directoryUrl;
}

async function begin({ name, certificate }: Domain, parts: CertifyParts): Promise<Certified> {
  const { keyRing, profile, clock, newId } = parts;
  const nextAt = await nextValidationAt(name, parts);
  if (nextAt !== undefined)
    return { certificate: { ...certificate, nextAt }, fault: { code: 'ca_rate_limited', name } };
  const caa = await checkPermission(name, parts);
  if (caa === undefined) return setBack(certificate, { code: 'ca_unavailable', name }, parts);
  if (!caa.passed) return setBack(certificate, caa.fault, parts);

  const { current } = certificate;
  // An authority accepts only a certificate of its own here.
  const replaces = current === undefined || isForTests(current, parts) ? undefined : current.ariId;
  const issuance = await startIssuance({ id: newId(), hostname: name, profile, replaces }, keyRing);
  return {
    certificate: { ...inProgress(certificate), issuance, nextAt: new Date(clock()) },
    fault: undefined,
  };
}

/** When the host may be validated again; undefined if it may be now. The limit counts for all attempts and orders. */
async function nextValidationAt(
  name: string,
  { failedValidations, clock }: CertifyParts,
): Promise<Date | undefined> {
  const failedAt = await failedValidations.since(name, new Date(clock() - HOUR_MS));
  const [oldest] = failedAt.slice(-MAX_FAILED_VALIDATIONS);
  if (failedAt.length < MAX_FAILED_VALIDATIONS || oldest === undefined) return undefined;
  return new Date(oldest.getTime() + HOUR_MS);
}

/**
 * Checks whether the CAA records of a name permit the authority. Undefined if the authority does not answer: it says
 * what its identities are, and the URL of the account.
 */
export async function checkPermission(
  name: string,
  { acme, dns, platformHost }: Pick<CertifyParts, 'acme' | 'dns' | 'platformHost'>,
): Promise<Check | undefined> {
  const identities = await unlessUnanswered(acme.caaIdentities());
  if (identities === undefined) return undefined;
  const authority = { identities, accountUrl: () => acme.accountUrl(), platformHost };
  return unlessUnanswered(inTime(checkCaa(name, authority, dns), name));
}

async function goOn(
  { name, certificate }: Domain,
  issuance: Issuance,
  parts: CertifyParts,
): Promise<Certified> {
  const { acme, keyRing, clock } = parts;
  // The next step asks the authority for another validation.
  const isRepeated = issuance.state === 'ordered' && issuance.failedValidations > 0;
  const nextAt = isRepeated ? await nextValidationAt(name, parts) : undefined;
  if (nextAt !== undefined) return { certificate: { ...certificate, nextAt }, fault: faultSoFar(issuance) };
  const step = await nextStep(issuance, { acme, keyRing, now: clock });
  switch (step.issuance.state) {
    case 'issued': {
      const { id, privateKey, pem, notBefore, notAfter, serialNumber, ariId } = step.issuance;
      const { directoryUrl } = parts;
      const current = { id, privateKey, pem, notBefore, notAfter, serialNumber, ariId, directoryUrl };
      const planned = await withPlan({ ...certificate, renewal: undefined }, current, parts);
      return { certificate: planned.certificate, fault: undefined };
    }
    case 'failed': {
      const { failure, validationFailed } = step.issuance;
      if (validationFailed) await parts.failedValidations.record(name, new Date(clock()));
      const fault = validationFailed ? validationFaultOf(failure, name) : faultOf(failure, name);
      return setBack(certificate, await withRemedy(fault, acme), parts);
    }
    case 'keyed':
    case 'ordered':
    case 'answering':
    case 'finalizing': {
      if (step.issuance.failedValidations > issuance.failedValidations)
        await parts.failedValidations.record(name, new Date(clock()));
      return {
        certificate: { ...certificate, issuance: step.issuance, nextAt: step.nextRunAt },
        fault: faultSoFar(step.issuance),
      };
    }
  }
}

function faultSoFar({ hostname, lastFailure }: Issuance): Fault | undefined {
  return lastFailure && faultOf(lastFailure, hostname);
}

function inProgress(certificate: CertificateTrack): CertificateTrack {
  return { ...certificate, state: certificate.current === undefined ? 'issuing' : 'renewing' };
}

/** Ends an attempt without a certificate and schedules the next attempt. */
function setBack(certificate: CertificateTrack, fault: Fault, { clock }: CertifyParts): Certified {
  const { failures, current } = certificate;
  const waitMs = Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
  return {
    certificate: {
      ...certificate,
      state: current === undefined ? 'failed' : 'active',
      issuance: undefined,
      failures: failures + 1,
      nextAt: new Date(clock() + waitMs),
    },
    fault,
  };
}

async function withPlan(
  { renewal: previous }: CertificateTrack,
  current: StoredCertificate,
  { acme, clock, random }: CertifyParts,
): Promise<{ certificate: CertificateTrack; renewAt: Date }> {
  const advice =
    current.ariId === undefined ? undefined : await unlessUnanswered(acme.renewalAdvice(current.ariId));
  const renewal = planRenewal({ certificate: current, advice, previous, nowMs: clock(), random });
  const { renewAt, askAgainAt } = renewal;
  return {
    renewAt,
    certificate: {
      state: 'active',
      current,
      renewal,
      nextAt: renewAt < askAgainAt ? renewAt : askAgainAt,
      failures: 0,
    },
  };
}

/**
 * Reseals the certificate's keys with the current encryption key. A certificate that the key ring cannot open stays as
 * it is: its renewal gets a new private key.
 * @throws SealError if the key ring cannot open the issuance
 */
export function resealCertificate(certificate: CertificateTrack, keyRing: KeyRing): CertificateTrack {
  const { current, issuance } = certificate;
  return {
    ...certificate,
    current: current && resealIfOpened(current, keyRing),
    issuance: issuance && resealIssuance(issuance, keyRing),
  };
}

function resealIfOpened(current: StoredCertificate, keyRing: KeyRing): StoredCertificate {
  try {
    return resealPrivateKey(current, keyRing);
  } catch (error) {
    if (error instanceof SealError) return current;
    throw error;
  }
}

/** Returns undefined if the authority cannot answer now, so that the caller continues without the answer. */
async function unlessUnanswered<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof AcmeError) return undefined;
    throw error;
  }
}

/** Adds to a CAA fault the record that permits the authority, which the authority's own text may not name. */
async function withRemedy(fault: Fault, acme: Acme): Promise<Fault> {
  if (fault.code !== 'caa_blocks') return fault;
  const expected = recordToAdd((await unlessUnanswered(acme.caaIdentities())) ?? []);
  return expected === undefined ? fault : { ...fault, expected };
}

/** By error type (RFC 8555 section 6.7). */
const CAUSES: ReadonlyMap<string, RejectionCause> = new Map([
  ['urn:ietf:params:acme:error:connection', 'no_answer'],
  ['urn:ietf:params:acme:error:tls', 'no_answer'],
  ['urn:ietf:params:acme:error:unauthorized', 'no_answer'],
  ['urn:ietf:params:acme:error:incorrectResponse', 'no_answer'],
  ['urn:ietf:params:acme:error:dns', 'dns'],
  ['urn:ietf:params:acme:error:rejectedIdentifier', 'name'],
  ['urn:ietf:params:acme:error:unsupportedIdentifier', 'name'],
]);

/** step-ca gives a wrong answer to its challenge the type of a name that it issues no certificates for. */
function validationFaultOf(failure: AcmeFailure, name: string): Fault {
  const fault = faultOf(failure, name);
  return fault.code === 'ca_rejected' && fault.cause === 'name' ? { ...fault, cause: 'no_answer' } : fault;
}

function faultOf({ kind, type, detail: text }: AcmeFailure, name: string): Fault {
  const detail = maskPrivateAddresses(text);
  switch (kind) {
    case 'caa':
      return { code: 'caa_blocks', name, found: detail };
    case 'rate_limited':
      return { code: 'ca_rate_limited', name };
    case 'unavailable':
    case 'order_gone':
    case 'account_gone':
      return { code: 'ca_unavailable', name };
    case 'rejected':
      return { code: 'ca_rejected', name, detail, cause: CAUSES.get(type) };
  }
}
