/**
 * How one certificate is issued. Each step looks at what is stored, does one thing at the CA and says what to store
 * next; the caller stores that before it takes the next step. Whoever goes on for a process that was killed, at whatever
 * moment, therefore goes on with the same order. That two take the same step at the same time is for the caller to
 * prevent: nothing breaks by it, but a CA that looks twice too quickly may issue twice.
 *
 * state       what is certain                        the step from here
 * ----------  -------------------------------------  ------------------------------------------------------------------
 * keyed       key and request are made and sealed    opens an order at the CA                             → ordered
 * ordered     the order's URL is known               tells the CA to look for our answers to its
 *                                                    challenges; whoever serves the host answers them      → answering
 * answering   every challenge was told of            looks whether the CA is content                       → finalizing
 * finalizing  from here on the CA may have issued    hands the request in if the order is ready, looks
 *                                                    again while the CA works, fetches the chain           → issued
 * issued      the chain belongs to key and host      none
 * failed      the reason                             none: a new attempt is a new issuance
 *
 * Steps other than the first begin by reading the order, so that what a killed process had already done is seen and
 * not done again. Killed between opening an order and storing its URL leaves an order that nobody uses: ACME has no way
 * to ask for it again, and it expires.
 *
 * A step that the CA cannot take now (`unavailable`, `rate_limited`) leaves the state as it is and is taken again later.
 * An order that the CA does not know (`order_gone`), or whose account it does not know (`account_gone`), leads back to
 * keyed, with the same key. Any other refusal ends the issuance, and so does an invalid order.
 */
import type { Clock } from '../../../lib/clock.js';
import type { Acme, Order } from './acme.js';
import { AcmeError, failureOf, NO_TYPE, type AcmeFailure } from './acme-failure.js';
import { isCertificateFor, readCertificateChain } from './certificate-chain.js';
import { NO_PROGRESS, openCsr, openPrivateKey, type Issuance, type IssuanceState } from './issuance.js';
import type { KeyRing } from './key-ring.js';
import { waitAfterFailureMs, waitForCaMs } from './waits.js';

export interface StepDeps {
  acme: Acme;
  keyRing: KeyRing;
  now: Clock;
}

export interface Step {
  /** To be stored before the next step. */
  issuance: Issuance;
  /** When to take the next step; undefined when there is none. */
  nextRunAt: Date | undefined;
}

type In<State extends Issuance['state']> = Extract<Issuance, { state: State }>;
type Ordered = In<'ordered' | 'answering' | 'finalizing'>;

/** An order that is lost again and again is no accident. */
const MAX_LOST_ORDERS = 3;

/**
 * A step is up to seven requests, each bounded in time by the Acme it is given; a lease has to outlast them.
 * @throws SealError when key or request cannot be opened; nothing is lost then
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
  if (order.status === 'pending') {
    for (const url of order.authorizations) {
      const challenge = await pendingChallenge(url, acme);
      if (challenge === 'none') return fail(issuance, rejected('the CA offers no http-01 challenge'));
      if (challenge !== 'told') await tell(challenge.url, url, acme);
    }
  }
  return advance(issuance, { state: 'answering', orderUrl: issuance.orderUrl }, deps);
}

/** `told`: the CA needs no word from us, because of an earlier order or an earlier process. */
async function pendingChallenge(
  authorizationUrl: string,
  acme: Acme,
): Promise<{ url: string } | 'told' | 'none'> {
  const { status, challenges } = await acme.authorization(authorizationUrl);
  if (status !== 'pending') return 'told';
  const challenge = challenges.find(({ type }) => type === 'http-01');
  if (challenge?.url === undefined) return 'none';
  return challenge.status === 'pending' ? { url: challenge.url } : 'told';
}

/** A process that was thought dead may have told the CA meanwhile, which then refuses to hear it again. */
async function tell(challengeUrl: string, authorizationUrl: string, acme: Acme): Promise<void> {
  try {
    await acme.answerChallenge(challengeUrl);
  } catch (error) {
    if ((await pendingChallenge(authorizationUrl, acme)) !== 'told') throw error;
  }
}

async function awaitValidation(issuance: Ordered, deps: StepDeps): Promise<Step> {
  const order = await deps.acme.order(issuance.orderUrl);
  switch (order.status) {
    case 'pending':
      return lookAgain(issuance, order, deps);
    case 'invalid':
      return fail(issuance, await reasonOf(order, deps), true);
    case 'ready':
    case 'processing':
    case 'valid':
      return advance(issuance, { state: 'finalizing', orderUrl: issuance.orderUrl }, deps);
  }
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
      // An authorization has ended while nobody looked.
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
    return fail(issuance, rejected('the CA gave what cannot be read as a certificate'));
  }
  return fail(issuance, rejected('the CA gave a certificate of another key or another name'));
}

/** Why an order is invalid stands in the challenge that failed, seldom in the order itself. */
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
      // A replacement that the CA does not believe in (RFC 9773, 5: `alreadyReplaced`) is a plain order to it.
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

function lookAgain(issuance: Issuance, order: Order, { now }: StepDeps): Step {
  const looks = issuance.looks + 1;
  const waitMs = waitForCaMs(issuance.looks, order.retryAfterMs);
  return {
    issuance: { ...issuance, looks, failures: 0, lastFailure: undefined },
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

/** What the former state alone knew is left behind. */
function end(issuance: Issuance, state: IssuanceState): Step {
  const { id, hostname, profile, replaces, privateKey, csr, lostOrders } = issuance;
  const kept = { id, hostname, profile, replaces, privateKey, csr };
  return { issuance: { ...kept, ...NO_PROGRESS, lostOrders, ...state }, nextRunAt: undefined };
}

function rejected(detail: string): AcmeFailure {
  return { kind: 'rejected', type: NO_TYPE, detail };
}
