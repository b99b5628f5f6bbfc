import {
  generateAccountKey,
  readAccountKey,
} from '../../src/features/publishing/certificates/account-key.js';
import type { CustomerDomains } from '../../src/app/services.js';
import type { Domain } from '../../src/features/publishing/domains/domain.js';
import {
  hasProblem,
  isActive,
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from '../support/domain-gateway.js';
import { startStepCa, type StepCa } from '../support/step-ca.js';

/** step-ca leaves an order pending after a failed validation, until the order expires after a day. */
const MINUTE_MS = 60_000;
const REASON = 'The server could not connect to validation target';

let world: DomainWorld;
let stepCa: StepCa;
let node: DomainGateway;
let aheadMs = 0;
beforeAll(async () => {
  world = await startDomainWorld();
  stepCa = await startStepCa({ dnsServer: world.knot.address, httpPort: world.pebble.httpPort });
  node = await startDomainGateway(world, {
    env: { ACME_DIRECTORY_URL: stepCa.directoryUrl, ACME_CA_FILE: stepCa.caFile, ACME_PROFILE: '' },
    clock: () => Date.now() + aheadMs,
  });
  await node.domains.startJobs();
});
afterAll(async () => {
  await node.close();
  await stepCa.close();
  await world.close();
});
beforeEach(() => {
  world.answerers.splice(0, Infinity, node.domains);
});

/** What answers challenges in place of the gateway: not at all, or with the key of another account. */
function answererOf(doesAnswer: boolean): { asked: () => number; answerer: CustomerDomains } {
  let asked = 0;
  const key = readAccountKey(generateAccountKey());
  const isIssuing = () => Promise.resolve(doesAnswer);
  const accountKey = () => {
    asked += 1;
    return key;
  };
  return { asked: () => asked, answerer: { store: { isIssuing }, accountKey } as unknown as CustomerDomains };
}

const orderOf = ({ certificate: { issuance } }: Domain) =>
  issuance !== undefined && 'orderUrl' in issuance ? issuance.orderUrl : undefined;
/** Waits before it asks for the validation number `failed + 1` of its order. */
const waitsAfter =
  (failed: number) =>
  ({ certificate: { issuance } }: Domain) =>
    issuance?.state === 'ordered' && issuance.failedValidations === failed;

/** What goes wrong, and how it is made right again. */
type Trouble = (host: string) => Promise<() => Promise<void>>;

const refuseConnections: Trouble = async (host) => {
  // Nothing listens there.
  await world.knot.set(host, 'A', '127.0.0.2');
  return () => world.knot.set(host, 'A', '127.0.0.1');
};
const answer =
  (doesAnswer: boolean): Trouble =>
  () => {
    const others = world.answerers.splice(0, Infinity, answererOf(doesAnswer).answerer);
    return Promise.resolve(() => {
      world.answerers.splice(0, Infinity, ...others);
      return Promise.resolve();
    });
  };

async function verifying(name: string, makeTrouble: Trouble): Promise<[Domain, () => Promise<void>]> {
  const { id, host } = await node.project(name);
  const fix = await makeTrouble(host);
  const domain = await node.domains.service.add(id, name);
  await world.knot.set(name, 'CNAME', `${host}.`);
  await node.verify(domain);
  return [domain, fix];
}

test('a certificate is issued', async () => {
  await node.reaches(await node.verifying('shop.plain.test'), 'a certificate', isActive);
});

describe.each<[string, string, Trouble]>([
  ['a refused connection', 'refused', refuseConnections],
  ['a 404', 'none', answer(false)],
])('after %s', (_what, label, trouble) => {
  test('Verify asks for another validation of the same order at once', async () => {
    const [domain, fix] = await verifying(`shop.${label}-verify.test`, trouble);
    const waiting = await node.reaches(domain, 'the reason', hasProblem('ca_rejected'));
    expect(waiting.problem?.message).toContain(REASON);
    expect(waiting.problem?.message).toContain('port 80');
    expect(waiting).toMatchObject({ certificate: { state: 'issuing', failures: 0 } });
    expect(waiting.problem?.retryAt?.getTime()).toBeGreaterThan(Date.now() + aheadMs);
    await fix();
    await node.verify(domain);
    const active = await node.reaches(domain, 'a certificate', isActive);
    expect(active.problem).toBeUndefined();
  });

  test('so does the gateway by itself a minute later', async () => {
    const [domain, fix] = await verifying(`shop.${label}-alone.test`, trouble);
    await node.reaches(domain, 'a wait', waitsAfter(1));
    await fix();
    aheadMs += MINUTE_MS;
    node.domains.wake();
    await node.reaches(domain, 'a certificate', isActive);
  });
});

test('a wrong answer ends the attempt with its reason, although the order stays pending, and Verify starts another', async () => {
  const [domain, fix] = await verifying('shop.wrong.test', answer(true));
  const failed = await node.reaches(domain, 'the reason', hasProblem('ca_rejected'));
  // Its error type is rejectedIdentifier, but it has nothing against the name.
  expect(failed.problem?.message).toContain('port 80');
  expect(failed.problem?.message).not.toContain('no certificates for this name');
  expect(failed.certificate).toMatchObject({ state: 'failed', failures: 1 });
  await fix();
  await node.verify(domain);
  await node.reaches(domain, 'a certificate', isActive);
});

test('a host that stays broken is validated four times an hour, however often Verify is chosen, and its attempt fails with the reason', async () => {
  const { asked, answerer } = answererOf(false);
  world.answerers.splice(0, Infinity, answerer);
  const domain = await node.verifying('shop.broken.test');
  const first = await node.reaches(domain, 'a wait', waitsAfter(1));
  await node.verify(domain);
  const second = await node.reaches(domain, 'a longer wait', waitsAfter(2));
  expect(orderOf(second)).toBe(orderOf(first));
  expect(asked()).toBe(2);
  await node.verify(domain);
  const failed = await node.reaches(domain, 'the end', ({ certificate }) => certificate.failures === 1);
  expect(failed).toMatchObject({ certificate: { state: 'failed' }, problem: { code: 'ca_rejected' } });
  expect(failed.problem?.message).toContain(REASON);

  await node.verify(domain);
  const again = await node.reaches(domain, 'another order', waitsAfter(1));
  expect(orderOf(again)).not.toBe(orderOf(first));
  expect(asked()).toBe(4);
  await node.verify(domain);
  const held = await node.reaches(
    domain,
    'the limit',
    ({ nextRunAt }) => nextRunAt !== undefined && nextRunAt.getTime() > Date.now() + aheadMs + 30 * MINUTE_MS,
  );
  expect(held.problem).toMatchObject({ code: 'ca_rejected' });
  expect(asked()).toBe(4);
});
