import { type Connection } from 'mongoose';
import type { Domain } from '../../src/features/publishing/domains/domain.js';
import { DOMAINS_COLLECTION } from '../../src/features/publishing/domains/mongo-domains-store.js';
import {
  isActive,
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from '../support/domain-gateway.js';
import { rawDatabase } from '../support/raw-database.js';

const DAY_MS = 86_400_000;

let world: DomainWorld;
let node: DomainGateway;
let raw: Connection;
let laterMs = 0;

beforeAll(async () => {
  world = await startDomainWorld();
  node = await startDomainGateway(world, { clock: () => Date.now() + laterMs });
  world.answerers.push(node.domains);
  await node.domains.startJobs();
  raw = await rawDatabase(node);
});
afterAll(async () => {
  await raw.close();
  await node.close();
  await world.close();
});
beforeEach(() => {
  laterMs = 0;
});

async function certified(name: string): Promise<Domain> {
  return node.reaches(await node.verifying(name), 'a certificate', isActive);
}

/** The times to wait for are over: nobody waits here for days. */
async function makeDue({ id }: Domain): Promise<void> {
  await raw
    .collection<{ _id: string }>(DOMAINS_COLLECTION)
    .updateOne({ _id: id }, { $set: { nextRunAt: new Date(), 'certificate.nextAt': new Date() } });
  node.domains.wake();
}

const serialOf = ({ certificate }: Domain) => certificate.current?.serialNumber;
/** Whatever the state: with a clock far ahead, the next renewal begins at once. */
const isNot = (first: Domain) => (domain: Domain) =>
  serialOf(domain) !== undefined && serialOf(domain) !== serialOf(first);

test('renews and replaces a certificate when the authority moves its window to now', async () => {
  const first = await certified('shop.renewed.test');
  const replacements = world.pebble.logged('is a replacement of');
  const window = { start: new Date(Date.now() - 2 * DAY_MS), end: new Date(Date.now() - DAY_MS) };
  await world.pebble.setRenewalInfo(
    first.certificate.current?.pem ?? '',
    JSON.stringify({ suggestedWindow: window }),
  );
  const served: (string | undefined)[] = [];
  await makeDue(first);
  await node.reaches(first, 'another certificate', (domain) => {
    served.push(serialOf(domain));
    return isNot(first)(domain);
  });
  // The old one, until the new one is stored.
  expect(served).not.toContain(undefined);
  expect(world.pebble.logged('is a replacement of')).toBe(replacements + 1);
});

test('without advice of the authority, renews when a third of the lifetime is left', async () => {
  const first = await certified('shop.lifetime.test');
  await world.pebble.setRenewalInfo(first.certificate.current?.pem ?? '', '{}');
  await raw
    .collection<{ _id: string }>(DOMAINS_COLLECTION)
    .updateOne({ _id: first.id }, { $unset: { 'certificate.renewal': 1 } });

  laterMs = 59 * DAY_MS;
  await makeDue(first);
  const planned = await node.reaches(first, 'a plan', ({ certificate }) => certificate.renewal !== undefined);
  expect(serialOf(planned)).toBe(serialOf(first));
  expect(planned.certificate.renewal?.window).toBeUndefined();

  laterMs = 61 * DAY_MS;
  await makeDue(first);
  await node.reaches(first, 'another certificate', isNot(first));
});

test('a failed renewal keeps the old certificate, says why, and is retried', async () => {
  const first = await certified('shop.trouble.test');
  const window = { start: new Date(Date.now() - 2 * DAY_MS), end: new Date(Date.now() - DAY_MS) };
  await world.pebble.setRenewalInfo(
    first.certificate.current?.pem ?? '',
    JSON.stringify({ suggestedWindow: window }),
  );
  await world.knot.set('trouble.test', 'CAA', '0 issue "other.example"');
  await makeDue(first);
  const failed = await node.reaches(first, 'a problem', ({ problem }) => problem?.code === 'caa_blocks');
  expect(serialOf(failed)).toBe(serialOf(first));
  expect(failed.certificate.state).toBe('active');
  expect(failed.problem?.retryAt?.getTime()).toBeGreaterThan(Date.now());

  // Re-verify begins an attempt at once; until it is through, the problem stands.
  await world.knot.unset('trouble.test', 'CAA');
  await node.verify(first);
  await node.reaches(first, 'another certificate', isNot(first));
});

test('Re-verify replaces a staging certificate at once, as a first certificate of the new authority', async () => {
  const first = await certified('shop.staged.test');
  expect(first.certificate.current?.directoryUrl).toBe(world.pebble.directoryUrl);
  const replacements = world.pebble.logged('is a replacement of');
  await raw.collection<{ _id: string }>(DOMAINS_COLLECTION).updateOne(
    { _id: first.id },
    {
      $set: {
        'certificate.current.directoryUrl': 'https://acme-staging-v02.api.letsencrypt.org/directory',
      },
    },
  );
  await node.verify(first);
  const replaced = await node.reaches(first, 'another certificate', isNot(first));
  expect(replaced.certificate.current?.directoryUrl).toBe(world.pebble.directoryUrl);
  expect(world.pebble.logged('is a replacement of')).toBe(replacements);
});

test('does not renew a suspended domain; an upgrade makes its renewal due at once', async () => {
  const first = await certified('shop.suspended.test');
  await world.pebble.setRenewalInfo(first.certificate.current?.pem ?? '', '{}');
  const change = node.services.administration({ role: 'command line' });
  await change.changePlan(first.projectId, 'free');
  laterMs = 80 * DAY_MS;
  await makeDue(first);
  const suspended = await node.reaches(
    first,
    'a later look',
    ({ nextRunAt }) => nextRunAt !== undefined && nextRunAt.getTime() > Date.now() + laterMs,
  );
  expect(serialOf(suspended)).toBe(serialOf(first));

  await change.changePlan(first.projectId, 'pro');
  await node.reaches(first, 'another certificate', isNot(first));
});

test('renews as usual during the grace period', async () => {
  const first = await certified('shop.grace.test');
  const window = { start: new Date(Date.now() - 2 * DAY_MS), end: new Date(Date.now() - DAY_MS) };
  await world.pebble.setRenewalInfo(
    first.certificate.current?.pem ?? '',
    JSON.stringify({ suggestedWindow: window }),
  );
  await node.services.administration({ role: 'command line' }).changePlan(first.projectId, 'free');
  await makeDue(first);
  await node.reaches(first, 'another certificate', isNot(first));
});
