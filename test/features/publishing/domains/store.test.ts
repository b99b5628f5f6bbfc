import { randomUUID } from 'node:crypto';
import type { LeadsBy } from '../../../../src/features/publishing/domains/dns/check-routing.js';
import {
  NEW_DNS,
  NO_CERTIFICATE,
  statusOf,
  type Domain,
  type NewDomain,
  type StoredCertificate,
} from '../../../../src/features/publishing/domains/domain.js';
import {
  LEFT_TO_OTHERS_MS,
  NameHeld,
  type Claim,
  type DomainsStore,
} from '../../../../src/features/publishing/domains/domains-store.js';
import { createMongoDomainsStore } from '../../../../src/features/publishing/domains/mongo-domains-store.js';
import { problemOf } from '../../../../src/features/publishing/domains/problem.js';
import { systemClock } from '../../../../src/lib/clock.js';
import { connectMongo } from '../../../../src/platform/mongo/connection.js';
import { freshDatabase } from '../../../support/database.js';
import { prepared } from '../../../support/prepared.js';

const database = freshDatabase();
let connection: Awaited<ReturnType<typeof connectMongo>>;
let store: DomainsStore;

beforeAll(async () => {
  connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: 'unused',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  store = createMongoDomainsStore(await prepared(connection), systemClock);
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});

const NOW = new Date();
const LEASE_MS = 60_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);

async function inserted(change: Partial<NewDomain> = {}): Promise<Domain> {
  const id = `dom_${randomUUID()}`;
  const name = `shop.${id.replace('_', '-')}.test`;
  const domain = await store.insert({
    id,
    projectId: 'proj_1',
    isPlatform: false,
    name,
    unicode: name,
    registrable: name.slice('shop.'.length),
    isApex: false,
    label: 'shop',
    createdAt: NOW,
    ownershipToken: 'token',
    ownershipRequired: false,
    holds: false,
    dns: NEW_DNS,
    certificate: NO_CERTIFICATE,
    ...change,
  });
  if (domain === undefined) throw new Error('the project has it already');
  return domain;
}

async function claimed(domain: Domain, now = NOW): Promise<Claim> {
  const claim = await store.claimDue(now, LEASE_MS);
  expect(claim?.domain.id).toBe(domain.id);
  if (claim === undefined) throw new Error('nothing is due');
  return claim;
}

const rested = ({ domain }: Claim) => ({ ...domain, nextRunAt: undefined });

const certificateUntil = (notAfter: Date, keyId = 'k'): StoredCertificate => ({
  id: 'crt_1',
  privateKey: {
    keyId,
    nonce: Buffer.from('nonce'),
    ciphertext: Buffer.from([0, 255, 1]),
    tag: Buffer.from('tag'),
  },
  pem: 'PEM',
  notBefore: NOW,
  notAfter,
  serialNumber: '0a',
  ariId: undefined,
  directoryUrl: 'https://ca.example/directory',
});

it('returns a domain as it was stored, secrets as bytes', async () => {
  const current = certificateUntil(later(1000));
  const certificate = { ...NO_CERTIFICATE, state: 'active', current } as const;
  const domain = await inserted({ certificate, problem: { code: 'nxdomain', message: '$name', at: NOW } });
  expect(await store.get(domain.id)).toEqual(domain);
});

it('has a name once per project', async () => {
  const domain = await inserted();
  expect(await store.insert({ ...domain, id: `dom_${randomUUID()}` })).toBeUndefined();
  expect(await store.insert({ ...domain, id: `dom_${randomUUID()}`, projectId: 'proj_2' })).toBeDefined();
});

it('assigns a due domain to one process at a time, the longest-waiting first', async () => {
  const [second, first] = [
    await inserted({ nextRunAt: later(-1) }),
    await inserted({ nextRunAt: later(-2) }),
  ];
  const claims = await Promise.all([store.claimDue(NOW, LEASE_MS), store.claimDue(NOW, LEASE_MS)]);
  expect(new Set(claims.map((claim) => claim?.domain.id))).toEqual(new Set([first.id, second.id]));
  expect(await store.claimDue(NOW, LEASE_MS)).toBeUndefined();
  for (const claim of claims) if (claim !== undefined) await store.save(claim, rested(claim));
});

it('passes over the projects that a process has enough steps of', async () => {
  const [first, second] = [
    await inserted({ nextRunAt: later(-2), projectId: 'proj_waits' }),
    await inserted({ nextRunAt: later(-1), projectId: 'proj_next' }),
  ];
  const able = { exceptProjects: ['proj_waits'] };
  expect(await store.nextDueAt(able)).toEqual(second.nextRunAt);
  const next = await store.claimDue(NOW, LEASE_MS, able);
  expect(next?.domain.id).toBe(second.id);
  expect(await store.claimDue(NOW, LEASE_MS, able)).toBeUndefined();
  expect(await store.nextDueAt(able)).toBeUndefined();
  expect(await store.nextDueAt()).toEqual(first.nextRunAt);
  for (const claim of [next, await claimed(first)])
    if (claim !== undefined) await store.save(claim, rested(claim));
});

it('takes a step under way from its process when certificates become due, so that it cannot put them off again', async () => {
  const domain = await inserted({ projectId: 'proj_upgraded', holds: true, watchAt: later(-1) });
  const watch = await store.claimDue(NOW, LEASE_MS, { work: 'watch' });
  if (watch === undefined) throw new Error('nothing is due');
  await store.makeCertificatesDue(domain.projectId, NOW);
  expect(await store.save(watch, { ...watch.domain, watchAt: later(10) })).toBe(false);
  const step = await claimed(domain);
  expect(step.domain.certificate.nextAt).toEqual(NOW);
  expect(await store.save(step, { ...rested(step), watchAt: undefined })).toBe(true);
});

it('assigns a held domain for a check of its DNS apart from the steps, under the same lease', async () => {
  const domain = await inserted({ holds: true, watchAt: later(-1), nextRunAt: later(5) });
  expect(await store.claimDue(NOW, LEASE_MS)).toBeUndefined();
  expect(await store.nextDueAt({ work: 'watch' })).toEqual(domain.watchAt);
  expect(await store.nextDueAt({ work: 'watch', exceptProjects: [domain.projectId] })).toBeUndefined();
  const watch = await store.claimDue(NOW, LEASE_MS, { work: 'watch' });
  expect(watch).toMatchObject({ domain: { id: domain.id }, isWatch: true });
  expect(await store.claimDue(later(5), LEASE_MS)).toBeUndefined();
  if (watch !== undefined)
    expect(await store.save(watch, { ...watch.domain, watchAt: later(10) })).toBe(true);
  const step = await claimed(domain, later(5));
  expect(step.isWatch).toBe(false);
  expect(await store.claimDue(later(10), LEASE_MS, { work: 'watch' })).toBeUndefined();
  await store.save(step, { ...rested(step), watchAt: undefined });
  expect(await store.nextDueAt({ work: 'watch' })).toBeUndefined();
});

it('leaves what is sealed with an unknown key to processes that know it, and assigns it once nobody took it', async () => {
  const current = certificateUntil(later(1000), 'new');
  const certificate = { ...NO_CERTIFICATE, state: 'active', current } as const;
  const domain = await inserted({ certificate, nextRunAt: NOW });
  const lacking = { keyIds: ['old'] };
  expect(await store.claimDue(NOW, LEASE_MS, lacking)).toBeUndefined();
  expect(await store.nextDueAt(lacking)).toBeUndefined();
  expect(await store.nextDueAt({ keyIds: ['old', 'new'] })).toEqual(NOW);
  const claim = await store.claimDue(later(LEFT_TO_OTHERS_MS), LEASE_MS, lacking);
  expect(claim?.domain.id).toBe(domain.id);
  if (claim !== undefined) await store.save(claim, rested(claim));
});

it('assigns it to another process after the lease ended, and ignores writes of the first', async () => {
  const domain = await inserted({ nextRunAt: NOW });
  const slow = await claimed(domain);
  expect(await store.claimDue(later(LEASE_MS - 1), LEASE_MS)).toBeUndefined();
  const quick = await claimed(domain, later(LEASE_MS));
  expect(quick.fence).toBeGreaterThan(slow.fence);

  expect(await store.save(slow, { ...rested(slow), ownershipRequired: true })).toBe(false);
  expect((await store.get(domain.id))?.ownershipRequired).toBe(false);
  expect(await store.save(quick, rested(quick))).toBe(true);
});

it('keeps a domain due if Verify was called while a process held it', async () => {
  const domain = await inserted({ nextRunAt: NOW });
  const claim = await claimed(domain);
  const asked = later(5);
  await store.requestVerification(domain.id, asked);
  const looked = { state: 'failed', failures: 7 } as const;
  expect(await store.save(claim, { ...rested(claim), dns: looked, ownershipRequired: true })).toBe(true);
  const kept = await store.get(domain.id);
  expect(kept).toMatchObject({ nextRunAt: asked, ownershipRequired: true });
  expect(kept?.dns).toMatchObject({ state: 'verifying', requestedAt: asked, failures: 0 });
  const again = await claimed(domain, asked);
  await store.save(again, rested(again));
});

it('stores the status of a certificate that arrives after Verify was chosen', async () => {
  const domain = await inserted({
    holds: true,
    dns: { state: 'verified', failures: 0, verifiedAt: NOW },
    nextRunAt: NOW,
  });
  const claim = await claimed(domain);
  const asked = later(5);
  await store.requestVerification(domain.id, asked);
  const certificate = {
    ...NO_CERTIFICATE,
    state: 'active',
    current: certificateUntil(later(1_000_000)),
  } as const;
  expect(await store.save(claim, { ...rested(claim), certificate })).toBe(true);
  const kept = await store.get(domain.id);
  expect(kept).toMatchObject({ certificate: { state: 'active' }, nextRunAt: asked });
  expect(kept).toMatchObject(statusOf(kept ?? domain, NOW.getTime()));
  expect(kept?.status).not.toBe('issuing');
  const again = await claimed(domain, asked);
  await store.save(again, rested(again));
});

it('stores the status with every change', async () => {
  const problem = { code: 'nxdomain', message: 'none', at: NOW } as const;
  const valid = { ...NO_CERTIFICATE, state: 'active', current: certificateUntil(later(1_000_000)) } as const;
  const expired = { ...NO_CERTIFICATE, state: 'active', current: certificateUntil(later(-1)) } as const;
  const stored = async ({ id }: Domain) => {
    const domain = await store.get(id);
    if (domain === undefined) throw new Error('it is not removed');
    expect(domain).toMatchObject(statusOf(domain, NOW.getTime()));
    return domain.status;
  };
  const seen = new Set<string>();
  for (const state of ['pending', 'failed', 'verified'] as const)
    for (const certificate of [NO_CERTIFICATE, valid, expired])
      for (const shown of [undefined, problem]) {
        const domain = await inserted({
          dns: { state, failures: 0, ...(state === 'verified' && { verifiedAt: NOW }) },
          certificate,
          problem: state === 'failed' ? problem : shown,
          nextRunAt: NOW,
        });
        seen.add(await stored(domain));
        await store.requestVerification(domain.id, NOW);
        seen.add(await stored(domain));
        const claim = await claimed(domain);
        await store.save(claim, { ...rested(claim), dns: claim.domain.dns, problem: undefined });
        seen.add(await stored(domain));
      }
  expect(seen).toEqual(new Set(['pending', 'verifying', 'issuing', 'active', 'action_required']));
});

it('writes nothing for a domain that was removed meanwhile', async () => {
  const domain = await inserted({ nextRunAt: NOW });
  const claim = await claimed(domain);
  await store.remove(domain.id);
  expect(await store.save(claim, rested(claim))).toBe(false);
  expect(await store.get(domain.id)).toBeUndefined();
});

it('lets only one project hold a name; another one must take it over', async () => {
  const holder = await inserted({ holds: true });
  const domain = await inserted({ name: holder.name, projectId: 'proj_2', nextRunAt: NOW });
  const claim = await claimed(domain);
  await expect(store.save(claim, { ...rested(claim), holds: true })).rejects.toThrow(NameHeld);
  const problem = { code: 'ownership_txt_required', message: 'lost', at: NOW } as const;
  const loser = await store.takeOver(domain, 'another token', () => Promise.resolve(problem));
  expect(loser).toMatchObject({ id: holder.id, ownershipToken: 'another token' });
  expect(await store.save(claim, { ...rested(claim), holds: true })).toBe(true);
  expect((await store.holderOf(holder.name))?.id).toBe(domain.id);
  const lost = await store.get(holder.id);
  expect(lost).toMatchObject({ holds: false, problem, ownershipToken: 'another token' });
  expect(lost?.dns.verifiedAt).toBeUndefined();
});

it('remembers permanently who held a name, and for a name that leads here by its addresses who held any of its registered domain', async () => {
  const domain = await inserted();
  const apex = { ...domain, name: domain.registrable };
  const sibling = { ...domain, name: `www.${domain.registrable}` };
  const byOther = (asked: typeof domain, leadsBy: LeadsBy) =>
    store.isClaimedElsewhere({ ...asked, projectId: 'proj_2' }, leadsBy, NOW);
  expect(await byOther(domain, 'name')).toBe(false);
  await store.recordHolding(domain, NOW);
  await store.recordHolding(domain, later(1));
  await store.remove(domain.id);
  expect(await byOther(domain, 'name')).toBe(true);
  expect(await byOther(apex, 'addresses')).toBe(true);
  expect(await byOther(sibling, 'addresses')).toBe(true);
  expect(await byOther(sibling, 'name')).toBe(false);
  expect(await store.isClaimedElsewhere(domain, 'addresses', NOW)).toBe(false);
});

it('replaces the domain of another name when it inserts a missing one, and its process loses the lease', async () => {
  const problem = problemOf({ code: 'ca_unavailable', name: 'old.test' }, NOW);
  const current = { ...NO_CERTIFICATE, state: 'failed', failures: 3 } as const;
  const old = await inserted({
    isPlatform: true,
    holds: true,
    nextRunAt: NOW,
    certificate: current,
    problem,
  });
  const claim = await claimed(old);
  await store.insertMissing([{ ...old, certificate: NO_CERTIFICATE }]);
  expect(await store.get(old.id)).toMatchObject({ certificate: current });

  const name = `moved.${old.name}`;
  const renamed = { ...old, name, unicode: name, certificate: NO_CERTIFICATE, problem: undefined };
  await store.insertMissing([renamed]);
  expect(await store.save(claim, rested(claim))).toBe(false);
  expect(await store.get(old.id)).toMatchObject({ name, certificate: NO_CERTIFICATE });
  expect((await store.get(old.id))?.problem).toBeUndefined();
  const again = await claimed(renamed);
  expect(await store.save(again, rested(again))).toBe(true);
  expect(await store.holderOf(old.name)).toBeUndefined();
});

test('whether certificates are being issued is one query for all that ask during another', async () => {
  const state = 'issuing';
  const { name } = await inserted({ holds: true, certificate: { ...NO_CERTIFICATE, state } });
  const { name: notHeld } = await inserted({ certificate: { ...NO_CERTIFICATE, state } });
  const { name: idle } = await inserted({ holds: true });
  const db = connection.db;
  if (db === undefined) throw new Error('not connected');
  await db.command({ profile: 1, slowms: 0, filter: { op: 'query', ns: `${db.databaseName}.domains` } });
  const invented = Array.from({ length: 100 }, (_, i) => `invented-${i}.test`);
  const asked = [...invented, name, notHeld, idle, name];
  const answers = await Promise.all(asked.map((one) => store.isIssuing(one)));
  await db.command({ profile: 0 });
  expect(asked.filter((_, i) => answers[i])).toEqual([name, name]);
  expect(await db.collection('system.profile').countDocuments()).toBe(2);
});
