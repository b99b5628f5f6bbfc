/**
 * How one certificate is issued. Each step reads the stored state, does one thing at the CA and returns the state to
 * store next. The caller stores it before it takes the next step. If a process is killed at any moment, another
 * process continues with the same order. The caller must prevent two processes from taking the same step at the same
 * time: nothing breaks, but a CA that is polled twice too quickly may issue two certificates.
 *
 * state       known for certain                      next step
 * ----------  -------------------------------------  ------------------------------------------------------------------
 * keyed       key and request exist, sealed          opens an order at the CA                             → ordered
 * ordered     the order's URL is known               asks the CA to validate the order's challenges; the
 *                                                    process that serves the host answers them            → answering
 * answering   the CA knows of every challenge        checks if the CA has validated the order             → finalizing
 *                                                    if a validation failed and can be repeated           → ordered
 * finalizing  from here on the CA may have issued    sends the request if the order is ready, polls while
 *                                                    the CA works, fetches the chain                      → issued
 * issued      the chain matches the key and host     none
 * failed      the reason                             none: a new attempt is a new issuance
 *
 * Every step except the first starts by reading the order, so it sees what a killed process already did and does not
 * repeat it. A process killed between opening an order and storing its URL leaves an unused order behind. ACME cannot
 * look it up again, and it expires.
 *
 * If the CA cannot take a step now (`unavailable`, `rate_limited`), the state stays the same and the step is retried
 * later. A CA can leave an order pending after a failed validation (step-ca does): the gateway asks for another validation
 * after a while, a few times. If the CA does not know the order (`order_gone`) or its account (`account_gone`), the state returns to keyed,
 * with the same key. Any other rejection ends the issuance, and so does an invalid order.
 */
import type { Clock } from '../../../lib/clock.js';
import type { Acme, Order } from './acme.js';
import { AcmeError, failureOf, NO_TYPE, type AcmeFailure } from './acme-failure.js';
import { isCertificateFor, readCertificateChain } from './certificate-chain.js';
import { NO_PROGRESS, openCsr, openPrivateKey, type Issuance, type IssuanceState } from './issuance.js';
import type { KeyRing } from './key-ring.js';
import { waitAfterFailureMs, waitForCaMs, waitForValidationMs } from './waits.js';

export interface StepDeps {
  acme: Acme;
  keyRing: KeyRing;
  now: Clock;
}

export interface Step {
  /** The caller stores it before the next step. */
  issuance: Issuance;
  /** When to take the next step; undefined if there is none. */
  nextRunAt: Date | undefined;
}

type In<State extends Issuance['state']> = Extract<Issuance, { state: State }>;
type Ordered = In<'ordered' | 'answering' | 'finalizing'>;

/** If the CA loses the order more often than this, the issuance fails. */
const MAX_LOST_ORDERS = 3;
/** The issuance fails at this failed validation of its order, even if the CA would take more. */
const MAX_VALIDATIONS = 3;

/**
 * Takes the next step. A step sends up to seven requests, each with the Acme client's timeout; a lease must last longer
 * than all of them.
 * @throws SealError if the key or the request cannot be opened; nothing is lost then
 */
export async function nextStep(issuance: Issuance, deps: StepDeps): Promise<Step> {
  try {
    switch (issuance.state) {
      case 'keyed':
        return await openOrder(issuance, deps);
      case 'ordered':
        return await answerChallenges(issuance, deps);
      case 'answering':
        return await awaitValidation(issuance, deps);
      case 'finalizing':
        return await finalize(issuance, deps);
      case 'issued':
      case 'failed':
        return { issuance, nextRunAt: undefined };
    }
  } catch (error) {
    if (!(error instanceof AcmeError)) throw error;
    return afterFailure(issuance, error.failure, deps);
  }
}

async function openOrder(issuance: In<'keyed'>, deps: StepDeps): Promise<Step> {
  const { url } = await deps.acme.newOrder(issuance);
  return advance(issuance, { state: 'ordered', orderUrl: url }, deps);
}

async function answerChallenges(issuance: Ordered, deps: StepDeps): Promise<Step> {
  const { acme } = deps;
  const order = await acme.order(issuance.orderUrl);
  if (order.status === 'pending')
    for (const url of order.authorizations) {
      const challenge = await pendingChallenge(url, acme);
      if (challenge === 'none') return fail(issuance, rejected('the CA offers no http-01 challenge'));
      if (challenge !== 'notified') await notify(challenge.url, url, acme);
    }
  return advance(issuance, { state: 'answering', orderUrl: issuance.orderUrl }, deps);
}

/**
 * Returns the pending http-01 challenge. `notified`: the CA needs no notice, because of an earlier order or process.
 * `none`: the CA offers no http-01 challenge.
 */
async function pendingChallenge(
  authorizationUrl: string,
  acme: Acme,
): Promise<{ url: string } | 'notified' | 'none'> {
  const { status, challenges } = await acme.authorization(authorizationUrl);
  if (status !== 'pending') return 'notified';
  const challenge = challenges.find(({ type }) => type === 'http-01');
  if (challenge?.url === undefined) return 'none';
  return challenge.status === 'pending' ? { url: challenge.url } : 'notified';
}

/**
 * A process that was presumed dead may have notified the CA in the meantime. The CA then rejects a second notice, which is
 * not an error.
 */
async function notify(challengeUrl: string, authorizationUrl: string, acme: Acme): Promise<void> {
  try {
    await acme.answerChallenge(challengeUrl);
  } catch (error) {
    if ((await pendingChallenge(authorizationUrl, acme)) !== 'notified') throw error;
  }
}

async function awaitValidation(issuance: Ordered, deps: StepDeps): Promise<Step> {
  const order = await deps.acme.order(issuance.orderUrl);
  switch (order.status) {
    case 'pending':
      return lookAtChallenges(issuance, order, deps);
    case 'invalid':
      return fail(issuance, await reasonOf(order, deps), true);
    case 'ready':
    case 'processing':
    case 'valid':
      return advance(issuance, { state: 'finalizing', orderUrl: issuance.orderUrl }, deps);
  }
}

/**
 * Reads the challenges of a pending order. A failed one is invalid, and so should be the order (RFC 8555, 7.1.6), or
 * it is pending with an error, if the CA waits for another notice. A CA that repeats the validation by itself has it
 * `processing` (RFC 8555, 8.2).
 */
async function lookAtChallenges(issuance: Ordered, order: Order, deps: StepDeps): Promise<Step> {
  let lastFailure: AcmeFailure | undefined;
  for (const url of order.authorizations) {
    const { status, challenges } = await deps.acme.authorization(url);
    if (status === 'valid') continue;
    const challenge = challenges.find(({ type }) => type === 'http-01');
    const failure = challenge?.error && failureOf(challenge.error);
    if (status === 'invalid' || challenge?.status === 'invalid')
      return fail(issuance, failure ?? rejected('the validation failed and the CA does not say why'), true);
    if (status !== 'pending') return fail(issuance, rejected(`the authorization of the CA is ${status}`));
    if (failure !== undefined && challenge?.status === 'pending')
      return validateAgain(issuance, failure, deps);
    lastFailure ??= failure;
  }
  return lookAgain(issuance, order, deps, lastFailure);
}

function validateAgain(issuance: Ordered, failure: AcmeFailure, { now }: StepDeps): Step {
  const failedValidations = issuance.failedValidations + 1;
  if (failedValidations >= MAX_VALIDATIONS) return fail(issuance, failure, true);
  const ordered = end(issuance, { state: 'ordered', orderUrl: issuance.orderUrl }).issuance;
  return {
    issuance: { ...ordered, failedValidations, lastFailure: failure },
    nextRunAt: new Date(now() + waitForValidationMs(failedValidations)),
  };
}

async function finalize(issuance: Ordered, deps: StepDeps): Promise<Step> {
  const { acme, keyRing } = deps;
  let order = await acme.order(issuance.orderUrl);
  if (order.status === 'ready') order = await acme.finalize(order, openCsr(issuance, keyRing));
  switch (order.status) {
    case 'ready':
    case 'processing':
      return lookAgain(issuance, order, deps);
    case 'pending':
      // An authorization expired or was deactivated while no process polled the order.
      return advance(issuance, { state: 'ordered', orderUrl: issuance.orderUrl }, deps);
    case 'invalid':
      return fail(issuance, await reasonOf(order, deps), true);
    case 'valid':
      if (order.certificate === undefined) return lookAgain(issuance, order, deps);
      return conclude(issuance, await acme.certificate(order.certificate), deps);
  }
}

function conclude(issuance: Ordered, pem: string, { keyRing }: StepDeps): Step {
  const privateKey = openPrivateKey(issuance, keyRing);
  try {
    const chain = readCertificateChain(pem);
    if (isCertificateFor(chain, issuance.hostname, privateKey))
      return end(issuance, { state: 'issued', ...chain });
  } catch {
    return fail(issuance, rejected('the CA sent something that is not a certificate'));
  }
  return fail(issuance, rejected('the CA sent a certificate for another key or another name'));
}

/** The failed challenge usually says why an order is invalid. The order itself seldom does. */
async function reasonOf(order: Order, { acme }: StepDeps): Promise<AcmeFailure> {
  for (const url of order.authorizations) {
    const { challenges } = await acme.authorization(url);
    const problem = challenges.find(({ error }) => error !== undefined)?.error;
    if (problem !== undefined) return failureOf(problem);
  }
  return failureOf(order.error ?? { detail: 'the order is invalid and the CA does not say why' });
}

function afterFailure(issuance: Issuance, failure: AcmeFailure, deps: StepDeps): Step {
  switch (failure.kind) {
    case 'unavailable':
    case 'rejected':
      // The CA rejected `replaces` (RFC 9773, 5: `alreadyReplaced`), so the next attempt orders without it.
      if (issuance.state === 'keyed' && issuance.replaces !== undefined && failure.type !== NO_TYPE)
        return advance({ ...issuance, replaces: undefined }, { state: 'keyed' }, deps);
      return failure.kind === 'rejected' ? fail(issuance, failure) : retry(issuance, failure, deps);
    case 'rate_limited':
      return retry(issuance, failure, deps);
    case 'account_gone':
    case 'order_gone': {
      if (issuance.state === 'keyed') return retry(issuance, failure, deps);
      const lostOrders = issuance.lostOrders + 1;
      if (lostOrders > MAX_LOST_ORDERS) return fail(issuance, failure);
      return advance({ ...issuance, lostOrders, lastFailure: failure }, { state: 'keyed' }, deps);
    }
    case 'caa':
      return fail(issuance, failure);
  }
}

function advance(issuance: Issuance, state: IssuanceState, { now }: StepDeps): Step {
  return { ...end(issuance, state), nextRunAt: new Date(now()) };
}

function lookAgain(issuance: Issuance, order: Order, { now }: StepDeps, lastFailure?: AcmeFailure): Step {
  const looks = issuance.looks + 1;
  const waitMs = waitForCaMs(issuance.looks, order.retryAfterMs);
  return {
    issuance: { ...issuance, looks, failures: 0, lastFailure },
    nextRunAt: new Date(now() + waitMs),
  };
}

function retry(issuance: Issuance, failure: AcmeFailure, { now }: StepDeps): Step {
  const waitMs = waitAfterFailureMs(issuance.failures, failure.retryAfterMs);
  return {
    issuance: { ...issuance, failures: issuance.failures + 1, lastFailure: failure },
    nextRunAt: new Date(now() + waitMs),
  };
}

function fail(issuance: Issuance, failure: AcmeFailure, validationFailed = false): Step {
  return end(issuance, { state: 'failed', failure, validationFailed });
}

/** Resets the progress of the previous state, except `lostOrders`, and `failedValidations` as long as the order stays. */
function end(issuance: Issuance, state: IssuanceState): Step {
  const { id, hostname, profile, replaces, privateKey, csr, lostOrders } = issuance;
  const kept = { id, hostname, profile, replaces, privateKey, csr };
  const failedValidations = 'orderUrl' in state ? issuance.failedValidations : 0;
  return {
    issuance: { ...kept, ...NO_PROGRESS, lostOrders, failedValidations, ...state },
    nextRunAt: undefined,
  };
}

function rejected(detail: string): AcmeFailure {
  return { kind: 'rejected', type: NO_TYPE, detail };
}
