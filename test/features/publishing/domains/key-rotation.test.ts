import { randomBytes } from 'node:crypto';
import type { Project } from '../../../../src/features/projects/project.js';
import { startIssuance } from '../../../../src/features/publishing/certificates/issuance.js';
import type { Domain } from '../../../../src/features/publishing/domains/domain.js';
import { DOMAINS_COLLECTION } from '../../../../src/features/publishing/domains/mongo-domains-store.js';
import { siteDomainId } from '../../../../src/features/publishing/domains/site-domain.js';
import { createAuthority, type Authority } from '../../../support/authority.js';
import { rawDatabase } from '../../../support/raw-database.js';
import { until } from '../../../support/until.js';
import {
  certify,
  createBrowser,
  HANDSHAKE_FAILURE,
  holdDomain,
  progress,
  refusalOf,
  startVisited,
  visitSecurely,
  type VisitedGateway,
} from '../../../interfaces/sites/domains.js';
import { createStore, publish } from '../../../interfaces/sites/visitor.js';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [FIRST, SECOND] = [newKey('first'), newKey('second')];

/** Nobody answers here: these tests make certificates without the jobs, or see what they do without an authority. */
const ACME_DIRECTORY_URL = 'https://127.0.0.1:1/directory';

let authority: Authority;
/** Runs with the first key alone, as before a rotation. */
let old: VisitedGateway;
let project: Project;
let host: string;
const started: VisitedGateway[] = [];

const startWith = (keys: string, env: Record<string, string> = {}, beside?: VisitedGateway) =>
  startVisited({
    ...(beside && { beside }),
    env: { ACME_DIRECTORY_URL, DOMAIN_GRACE_DAYS: '0', KEY_ENCRYPTION_KEYS: keys, ...env },
  });

/** Another gateway on the same database, with these keys. */
async function beside(keys: string, env?: Record<string, string>): Promise<VisitedGateway> {
  const gateway = await startWith(keys, env, old);
  started.push(gateway);
  return gateway;
}

beforeAll(async () => {
  authority = await createAuthority();
});
beforeEach(async () => {
  old = await startWith(FIRST);
  const store = await createStore(old);
  ({ project, host } = store);
  await publish(old, project.id, { 'index.html': 'the shop' });
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((gateway) => gateway.close()));
  await old.close();
});

/** A domain whose private key this gateway sealed. */
async function certified(by: VisitedGateway, name: string): Promise<Domain> {
  const domain = await holdDomain(by, project.id, name);
  await certify(by, authority, domain);
  return domain;
}

async function textAt(gateway: VisitedGateway, name: string): Promise<string> {
  return (await visitSecurely(createBrowser(authority, { keepAlive: false }), gateway, name)).text;
}

const refusalAt = (gateway: VisitedGateway, name: string) =>
  refusalOf(visitSecurely(createBrowser(authority, { keepAlive: false }), gateway, name));

/** What a gateway logged as a warning or an error. */
const troubles = ({ logLines }: VisitedGateway) =>
  logLines
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level }) => level >= 40)
    .map(({ msg }) => msg);

const LACKS_SECOND = /KEY_ENCRYPTION_KEYS lacks "second".*at the end of KEY_ENCRYPTION_KEYS/;

test('step 1, a key at the end: gateways with and without it read what the others write', async () => {
  const accepting = await beside(`${FIRST},${SECOND}`);
  const [here, there] = [await certified(accepting, 'one.example'), await certified(old, 'two.example')];
  for (const gateway of [old, accepting])
    for (const { name } of [here, there]) expect(await textAt(gateway, name)).toBe('the shop');
  expect([...troubles(old), ...troubles(accepting)]).toEqual([]);
});

test('step 2, the key in front: gateways that only accept it read what is sealed with it', async () => {
  const accepting = await beside(`${FIRST},${SECOND}`);
  const sealing = await beside(`${SECOND},${FIRST}`);
  expect(troubles(sealing)).toEqual([
    expect.stringMatching(
      /now encrypts with "second".*"first".*Every other gateway must already list "second"/,
    ),
  ]);
  const domain = await certified(sealing, 'one.example');
  for (const gateway of [accepting, sealing]) expect(await textAt(gateway, domain.name)).toBe('the shop');
  // A restart during the step, before and after the change.
  for (const keys of [`${FIRST},${SECOND}`, `${SECOND},${FIRST}`])
    expect(troubles(await beside(keys)).join('')).not.toContain('lacks');
});

test('in front before every gateway accepts it: the others serve the rest, start again, and name the key', async () => {
  const before = await certified(old, 'before.example');
  const sealing = await beside(`${SECOND},${FIRST}`);
  const after = await certified(sealing, 'after.example');
  expect(await refusalAt(old, after.name)).toMatch(HANDSHAKE_FAILURE);
  expect(old.logLines.join('')).toMatch(/sealed with the key \\"second\\", which KEY_ENCRYPTION_KEYS lacks/);
  expect(await textAt(old, before.name)).toBe('the shop');

  const restarted = await beside(FIRST);
  expect(troubles(restarted)[0]).toMatch(LACKS_SECOND);
  expect(await textAt(restarted, before.name)).toBe('the shop');
  expect(restarted.domains.accountKey()).toBeUndefined();

  const corrected = await beside(`${FIRST},${SECOND}`);
  expect(troubles(corrected)).toEqual([]);
  for (const { name } of [before, after]) expect(await textAt(corrected, name)).toBe('the shop');
  // The account is under a key that everybody has again: the gateway that could not open it goes on by itself.
  await restarted.domains.startJobs();
  expect(restarted.domains.accountKey()?.thumbprint).toBe(corrected.domains.accountKey()?.thumbprint);
});

test('taken out while it is still in use: the gateway starts, and names the key', async () => {
  const domain = await certified(old, 'one.example');
  const early = await beside(SECOND);
  expect(troubles(early)[0]).toMatch(/KEY_ENCRYPTION_KEYS lacks "first"/);
  expect(await refusalAt(early, domain.name)).toMatch(HANDSHAKE_FAILURE);
});

test('another key under the same id: the gateway starts, and says so', async () => {
  const impostor = await beside(newKey('first'));
  expect(troubles(impostor)).toEqual([expect.stringMatching(/another key.*"first"/)]);
});

test('an order that no gateway can open: tried again soon, and the problem says so', async () => {
  const domain = await holdDomain(old, project.id, 'issuing.example');
  const { keyRing } = (await beside(`${SECOND},${FIRST}`)).domains;
  if (keyRing === undefined) throw new Error('it has keys');
  const start = { id: 'crt_1', hostname: domain.name, profile: undefined, replaces: undefined };
  const issuance = await startIssuance(start, keyRing);
  await progress(old.domains, domain.id, (now) => ({
    ...now,
    dns: { ...now.dns, answeredAt: now.dns.requestedAt },
    certificate: { ...now.certificate, state: 'issuing', issuance },
  }));
  const raw = await rawDatabase(old);
  const longAgo = new Date(Date.now() - 60_000);
  await raw
    .collection<{ _id: string }>(DOMAINS_COLLECTION)
    .updateOne({ _id: domain.id }, { $set: { nextRunAt: longAgo } });
  await raw.close();

  await old.domains.startJobs();
  const stuck = await until('a problem', async () => {
    const now = await old.domains.store.get(domain.id);
    return now?.problem && now;
  });
  expect(stuck.problem).toMatchObject({
    code: 'ca_unavailable',
    message: expect.stringContaining('contact the operator') as string,
  });
  expect(stuck.nextRunAt?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  expect(stuck.certificate.issuance).toEqual(issuance);
});

test('keys of a suspended domain and of a site move to the first key of the ring, without a renewal', async () => {
  const site = await old.domains.store.get(siteDomainId(project.id));
  if (site === undefined) throw new Error('it is deployed');
  const domain = await holdDomain(old, project.id, 'suspended.example');
  for (const held of [site, domain]) await certify(old, authority, held);
  const change = old.services.administration({ role: 'command line' });
  await change.changePlan(project.id, 'free');

  const rotating = await beside(`${SECOND},${FIRST}`, { PLATFORM_CERTIFICATES_PER_WEEK: '0' });
  await rotating.domains.startJobs();
  for (const { id } of [site, domain]) await movesToSecond(id);

  await change.changePlan(project.id, 'pro');
  const later = await beside(SECOND);
  for (const name of [host, domain.name]) expect(await textAt(later, name)).toBe('the shop');
});

test('the key of a certificate whose renewal keeps failing moves as well', async () => {
  const domain = await certified(old, 'failing.example');
  await progress(old.domains, domain.id, (now) => ({
    ...now,
    dns: { ...now.dns, answeredAt: now.dns.requestedAt },
    certificate: { ...now.certificate, failures: 3 },
  }));
  const rotating = await beside(`${SECOND},${FIRST}`);
  await old.domains.store.makeCertificatesDue(project.id, new Date());
  await rotating.domains.startJobs();
  await movesToSecond(domain.id);
  expect((await old.domains.store.get(domain.id))?.certificate.current).toBeDefined();
});

const movesToSecond = (id: string) =>
  until(`${id} under the new key`, async () => {
    const now = await old.domains.store.get(id);
    return now?.certificate.current?.privateKey.keyId === 'second';
  });
