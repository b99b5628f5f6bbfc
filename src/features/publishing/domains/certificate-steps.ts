import type { KeyObject } from 'node:crypto';
import type { Acme, Order } from '../certificates/acme.js';
import { AcmeError, failureOf, NO_TYPE, type AcmeFailure } from '../certificates/acme-failure.js';
import {
  isCertificateFor,
  readCertificateChain,
  type CertificateChain,
} from '../certificates/certificate-chain.js';
import {
  NO_PROGRESS,
  openCsr,
  openPrivateKey,
  startIssuance,
  type Issuance,
  type IssuanceState,
} from '../certificates/issuance.js';
import type { KeyRing } from '../certificates/key-ring.js';
import { planRenewal } from '../certificates/renewal-time.js';
import { HOUR_MS, type Clock } from '../../../lib/clock.js';
import { isStagingDirectory } from '../../../lib/lets-encrypt.js';
import { waitMs } from './back-off.js';
import { checkInTime, type Check } from './dns/check.js';
import { checkCaa, recordToAdd } from './dns/check-caa.js';
import type { Dns } from './dns/dns.js';
import { maskPrivateAddresses } from './dns/private-addresses.js';
import type { CertificateTrack, Domain, StoredCertificate } from './domain.js';
import type { FailedValidations } from './domains-store.js';
import type { Fault, RejectionCause } from './problem.js';

export interface CertificateParts {
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

/** What a step changes, and why the certificate has to wait if it does. */
export interface StepResult {
  certificate: CertificateTrack;
  fault?: Fault | undefined;
  /** Nothing was attempted, so an earlier fault stays. */
  isRest?: boolean;
}

type In<State extends Issuance['state']> = Extract<Issuance, { state: State }>;
/** An issuance whose order has a known URL. */
type Ordered = Exclude<Issuance, In<'keyed'>>;
type Named = Pick<Domain, 'name' | 'certificate'>;

/** An issuance under way. Its steps throw AcmeError. */
export interface Work<I extends Issuance = Ordered> {
  certificate: CertificateTrack;
  issuance: I;
  parts: CertificateParts;
}

/** The authority tried to validate the host, which counts against its limit: at Let's Encrypt, 5 an hour. */
class ValidationFailed extends AcmeError {}

/** In an hour. One fewer than Let's Encrypt takes. */
const MAX_FAILED_VALIDATIONS = 4;
/** If the authority loses the order more often than this, the attempt fails. */
const MAX_LOST_ORDERS = 3;
/** The attempt fails at this failed validation of its order, even if the authority would take more. */
const MAX_VALIDATIONS = 3;

/** Whether the certificate comes from a staging directory that is no longer the authority: no browser trusts it. */
export function isForTests(
  { directoryUrl }: Pick<StoredCertificate, 'directoryUrl'>,
  authority: Pick<CertificateParts, 'directoryUrl'>,
): boolean {
  return isStagingDirectory(directoryUrl) && directoryUrl !== authority.directoryUrl;
}

/**
 * Makes an attempt due now, or the next step of an attempt that waits, except while the authority's rate limit requires
 * waiting. The limit on failed validations is the authority's as well: the steps check it.
 */
export function withAttemptNow(certificate: CertificateTrack, now: Date): CertificateTrack {
  const { issuance, current, failures } = certificate;
  const isRateLimited = issuance?.fault?.code === 'ca_rate_limited';
  const isStaging = current !== undefined && isStagingDirectory(current.directoryUrl);
  const isWanted = issuance !== undefined || current === undefined || failures > 0 || isStaging;
  return isWanted && !isRateLimited ? { ...certificate, nextAt: now } : certificate;
}

/**
 * Starts an attempt if there is no usable certificate, or if its renewal is due: the authority advises when, otherwise it
 * is when a third of its lifetime is left. The old certificate is served until the new one is stored.
 */
export async function startOrPlan(domain: Named, parts: CertificateParts): Promise<StepResult> {
  const { current, failures, renewal } = domain.certificate;
  // A failed renewal stays due: `nextAt` was the wait before this attempt.
  if (current === undefined || failures > 0 || isForTests(current, parts)) return startAttempt(domain, parts);
  const { certificate, renewAt } = await withPlan(current, renewal, parts);
  return renewAt.getTime() <= parts.clock()
    ? startAttempt({ ...domain, certificate }, parts)
    : { certificate };
}

/** Checks the limit of validations and the CAA records, and creates the key and the request. */
async function startAttempt({ name, certificate }: Named, parts: CertificateParts): Promise<StepResult> {
  const { keyRing, profile, clock, newId } = parts;
  const nextAt = await nextValidationAt(name, parts);
  if (nextAt !== undefined)
    return { certificate: { ...certificate, nextAt }, fault: { code: 'ca_rate_limited', name } };
  const caa = await checkPermission(name, parts);
  if (caa === undefined) return failAttempt(certificate, { code: 'ca_unavailable', name }, parts);
  if (!caa.passed) return failAttempt(certificate, caa.fault, parts);

  const { current } = certificate;
  const state = current === undefined ? 'issuing' : 'renewing';
  // An authority accepts only a certificate of its own here.
  const replaces = current === undefined || isForTests(current, parts) ? undefined : current.ariId;
  const issuance = await startIssuance({ id: newId(), hostname: name, profile, replaces }, keyRing);
  return { certificate: { ...certificate, state, issuance, nextAt: new Date(clock()) } };
}

/** When the host may be validated again; undefined if it may be now. The limit counts for all attempts and orders. */
async function nextValidationAt(
  name: string,
  { failedValidations, clock }: CertificateParts,
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
  { acme, dns, platformHost }: Pick<CertificateParts, 'acme' | 'dns' | 'platformHost'>,
): Promise<Check | undefined> {
  const identities = await unlessUnanswered(acme.caaIdentities());
  if (identities === undefined) return undefined;
  const authority = { identities, accountUrl: () => acme.accountUrl(), platformHost };
  return unlessUnanswered(checkInTime(checkCaa(name, authority, dns), name));
}

/** Opens an order. A process killed before its URL is stored leaves an order that expires: ACME cannot look it up. */
export async function openOrder(work: Work<In<'keyed'>>): Promise<StepResult> {
  const { url } = await work.parts.acme.newOrder(work.issuance);
  return proceed(work, { state: 'ordered', orderUrl: url });
}

/** Asks the authority to validate the challenges of the order. The process that serves the host answers them. */
export async function answerChallenges(work: Work): Promise<StepResult> {
  const { certificate, parts } = work;
  const { hostname, orderUrl, failedValidations, fault } = work.issuance;
  const nextAt = failedValidations > 0 ? await nextValidationAt(hostname, parts) : undefined;
  if (nextAt !== undefined) return { certificate: { ...certificate, nextAt }, fault };
  const order = await parts.acme.order(orderUrl);
  if (order.status === 'pending')
    for (const url of order.authorizations) {
      const challengeUrl = await pendingChallenge(url, parts.acme);
      if (challengeUrl !== undefined) await notify(challengeUrl, url, parts.acme);
    }
  return proceed(work, { state: 'answering', orderUrl });
}

/**
 * Returns the URL of the pending http-01 challenge; undefined if the authority needs no notice, because of an earlier
 * order or process.
 */
async function pendingChallenge(authorizationUrl: string, acme: Acme): Promise<string | undefined> {
  const { status, challenges } = await acme.authorization(authorizationUrl);
  if (status !== 'pending') return undefined;
  const challenge = challenges.find(({ type }) => type === 'http-01');
  if (challenge?.url === undefined) throw rejection('the CA offers no http-01 challenge');
  return challenge.status === 'pending' ? challenge.url : undefined;
}

/**
 * A process that was presumed dead may have notified the authority in the meantime. The authority then rejects a second
 * notice, which is not an error.
 */
async function notify(challengeUrl: string, authorizationUrl: string, acme: Acme): Promise<void> {
  try {
    await acme.answerChallenge(challengeUrl);
  } catch (error) {
    if ((await pendingChallenge(authorizationUrl, acme)) !== undefined) throw error;
  }
}

/** Checks whether the authority has validated the order. */
export async function awaitValidation(work: Work): Promise<StepResult> {
  const { orderUrl } = work.issuance;
  const order = await work.parts.acme.order(orderUrl);
  switch (order.status) {
    case 'pending':
      return checkChallenges(work, order);
    case 'invalid':
      throw await invalidity(order, work);
    case 'ready':
    case 'processing':
    case 'valid':
      return proceed(work, { state: 'finalizing', orderUrl });
  }
}

/**
 * Reads the challenges of a pending order. A failed one is invalid, and so should be the order (RFC 8555, 7.1.6), or it
 * is pending with an error, if the authority waits for another notice (step-ca does). An authority that repeats the
 * validation by itself has it `processing` (RFC 8555, 8.2).
 */
async function checkChallenges(work: Work, order: Order): Promise<StepResult> {
  let waitsFor: Fault | undefined;
  for (const url of order.authorizations) {
    const { status, challenges } = await work.parts.acme.authorization(url);
    if (status === 'valid') continue;
    const challenge = challenges.find(({ type }) => type === 'http-01');
    const failure = challenge?.error && failureOf(challenge.error);
    if (status === 'invalid' || challenge?.status === 'invalid')
      throw new ValidationFailed(
        failure ?? failureOf({ detail: 'the validation failed and the CA does not say why' }),
      );
    if (status !== 'pending') throw rejection(`the authorization of the CA is ${status}`);
    if (failure !== undefined && challenge?.status === 'pending') return validateAgain(work, failure);
    waitsFor ??= failure && validationFaultOf(failure, work.issuance.hostname);
  }
  return poll(work, order, waitsFor);
}

async function validateAgain(work: Work, failure: AcmeFailure): Promise<StepResult> {
  const { issuance, parts } = work;
  const { orderUrl, hostname } = issuance;
  const failedValidations = issuance.failedValidations + 1;
  if (failedValidations >= MAX_VALIDATIONS) throw new ValidationFailed(failure);
  await parts.failedValidations.record(hostname, new Date(parts.clock()));
  const ordered = advanced(issuance, { state: 'ordered', orderUrl });
  const fault = validationFaultOf(failure, hostname);
  return wait(work, { ...ordered, failedValidations, fault }, waitMs('validation', failedValidations - 1));
}

/** Sends the request if the order is ready, and fetches the chain. From here on, the authority may have issued. */
export async function finalize(work: Work): Promise<StepResult> {
  const { issuance, parts } = work;
  const { acme, keyRing } = parts;
  const { orderUrl } = issuance;
  let order = await acme.order(orderUrl);
  if (order.status === 'ready') order = await acme.finalize(order, openCsr(issuance, keyRing));
  switch (order.status) {
    case 'ready':
    case 'processing':
      return poll(work, order);
    case 'pending':
      // An authorization expired or was deactivated while no process polled the order.
      return proceed(work, { state: 'ordered', orderUrl });
    case 'invalid':
      throw await invalidity(order, work);
    case 'valid':
      if (order.certificate === undefined) return poll(work, order);
      return conclude(work, await acme.certificate(order.certificate));
  }
}

async function conclude({ issuance, parts }: Work, pem: string): Promise<StepResult> {
  const { id, hostname, privateKey } = issuance;
  const chain = chainFor(hostname, openPrivateKey(issuance, parts.keyRing), pem);
  const current = { id, privateKey, ...chain, directoryUrl: parts.directoryUrl };
  const { certificate } = await withPlan(current, undefined, parts);
  return { certificate };
}

function chainFor(hostname: string, privateKey: KeyObject, pem: string): CertificateChain {
  let chain: CertificateChain;
  try {
    chain = readCertificateChain(pem);
    if (isCertificateFor(chain, hostname, privateKey)) return chain;
  } catch {
    throw rejection('the CA sent something that is not a certificate');
  }
  throw rejection('the CA sent a certificate for another key or another name');
}

/** The failed challenge usually says why an order is invalid. The order itself seldom does. */
async function invalidity(order: Order, { parts }: Work): Promise<ValidationFailed> {
  for (const url of order.authorizations) {
    const { challenges } = await parts.acme.authorization(url);
    const problem = challenges.find(({ error }) => error !== undefined)?.error;
    if (problem !== undefined) return new ValidationFailed(failureOf(problem));
  }
  const unknown = { detail: 'the order is invalid and the CA does not say why' };
  return new ValidationFailed(failureOf(order.error ?? unknown));
}

async function withPlan(
  current: StoredCertificate,
  previous: CertificateTrack['renewal'],
  { acme, clock, random }: CertificateParts,
): Promise<{ certificate: CertificateTrack; renewAt: Date }> {
  const advice =
    current.ariId === undefined ? undefined : await unlessUnanswered(acme.renewalAdvice(current.ariId));
  const renewal = planRenewal({ certificate: current, advice, previous, nowMs: clock(), random });
  const { renewAt, askAgainAt } = renewal;
  const nextAt = renewAt < askAgainAt ? renewAt : askAgainAt;
  return { certificate: { state: 'active', current, renewal, nextAt, failures: 0 }, renewAt };
}

/** The outcome of a step that threw this. */
export async function afterFailure(work: Work<Issuance>, error: AcmeError): Promise<StepResult> {
  const { certificate, issuance, parts } = work;
  const { failure } = error;
  const { hostname, state, lostOrders } = issuance;
  const fail = async (fault: Fault) => failAttempt(certificate, await withRemedy(fault, parts), parts);
  if (error instanceof ValidationFailed) {
    await parts.failedValidations.record(hostname, new Date(parts.clock()));
    return fail(validationFaultOf(failure, hostname));
  }
  const fault = faultOf(failure, hostname);
  const repeat = () => {
    const failures = issuance.failures + 1;
    const delayMs = waitMs('request', issuance.failures, failure.retryAfterMs);
    return wait(work, { ...issuance, failures, fault }, delayMs);
  };
  switch (failure.kind) {
    case 'unavailable':
    case 'rejected':
      // The authority rejected `replaces` (RFC 9773, 5: `alreadyReplaced`), so the next attempt orders without it.
      if (state === 'keyed' && issuance.replaces !== undefined && failure.type !== NO_TYPE)
        return proceed({ ...work, issuance: { ...issuance, replaces: undefined } }, { state });
      return failure.kind === 'rejected' ? fail(fault) : repeat();
    case 'rate_limited':
      return repeat();
    case 'account_gone':
    case 'order_gone':
      if (state === 'keyed') return repeat();
      if (lostOrders >= MAX_LOST_ORDERS) return fail(fault);
      return proceed({ ...work, issuance: { ...issuance, lostOrders: lostOrders + 1 } }, { state: 'keyed' });
    case 'caa':
      return fail(fault);
  }
}

/** The next step is due at once. */
function proceed(work: Work<Issuance>, state: IssuanceState): StepResult {
  return wait(work, advanced(work.issuance, state), 0);
}

/** Resets the progress of the previous state, except `lostOrders`, and `failedValidations` as long as the order stays. */
function advanced(issuance: Issuance, state: IssuanceState): Issuance {
  const { id, hostname, profile, replaces, privateKey, csr, lostOrders } = issuance;
  const failedValidations = 'orderUrl' in state ? issuance.failedValidations : 0;
  const kept = { id, hostname, profile, replaces, privateKey, csr };
  return { ...kept, ...NO_PROGRESS, lostOrders, failedValidations, ...state };
}

function poll(work: Work, order: Order, fault?: Fault): StepResult {
  const { issuance } = work;
  const polls = issuance.polls + 1;
  const delayMs = waitMs('poll', issuance.polls, order.retryAfterMs);
  return wait(work, { ...issuance, polls, failures: 0, fault }, delayMs);
}

function wait({ certificate, parts }: Work<Issuance>, issuance: Issuance, delayMs: number): StepResult {
  const nextAt = new Date(parts.clock() + delayMs);
  return { certificate: { ...certificate, issuance, nextAt }, fault: issuance.fault };
}

/** Ends an attempt without a certificate and schedules the next attempt. */
function failAttempt(certificate: CertificateTrack, fault: Fault, { clock }: CertificateParts): StepResult {
  const { failures, current } = certificate;
  return {
    certificate: {
      ...certificate,
      state: current === undefined ? 'failed' : 'active',
      issuance: undefined,
      failures: failures + 1,
      nextAt: new Date(clock() + waitMs('attempt', failures)),
    },
    fault,
  };
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
async function withRemedy(fault: Fault, { acme }: CertificateParts): Promise<Fault> {
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

function rejection(detail: string): AcmeError {
  return new AcmeError({ kind: 'rejected', type: NO_TYPE, detail });
}
