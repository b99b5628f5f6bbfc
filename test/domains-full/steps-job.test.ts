import { X509Certificate } from 'node:crypto';
import { generateAccountKey } from '../../src/features/publishing/certificates/account-key.js';
import {
  hasProblem,
  isActive,
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from '../support/domain-gateway.js';
import { rawDatabase } from '../support/raw-database.js';

let world: DomainWorld;
let node: DomainGateway;
let other: DomainGateway;

beforeAll(async () => {
  world = await startDomainWorld();
  node = await startDomainGateway(world);
  other = await startDomainGateway(world, { beside: node });
  // The challenge is answered by the gateway that did not begin the order, as far as that can be known.
  world.answerers.push(other.domains, node.domains);
  await node.domains.startJobs();
  await other.domains.startJobs();
});
afterAll(async () => {
  await other.close();
  await node.close();
  await world.close();
});

let count = 0;
const freshName = () => `shop.customer-${(count += 1)}.test`;

describe('a domain', () => {
  test('gets a certificate that its name and the root of the authority prove, from one order', async () => {
    const project = await node.project('Happy Tails');
    const domain = await node.domains.service.add(project.id, freshName());
    const [record] = await node.domains.service.recordsOf(domain, project);
    expect(record).toMatchObject({ type: 'CNAME', name: 'shop', value: project.host, ttl: 3600 });
    await world.knot.set(domain.name, 'CNAME', `${project.host}.`);
    const ordersBefore = world.pebble.logged('Added order');

    await node.verify(domain);
    const { certificate, dns, problem, nextRunAt } = await node.reaches(domain, 'a certificate', isActive);

    expect(problem).toBeUndefined();
    expect(dns).toMatchObject({ state: 'verified' });
    const leaf = new X509Certificate(certificate.current?.pem ?? '');
    expect(leaf.checkHost(domain.name)).toBe(domain.name);
    expect(nextRunAt?.getTime()).toBeLessThan(Date.parse(leaf.validTo));
    expect(world.pebble.logged('Added order') - ordersBefore).toBe(1);
    const { records } = await node.services.audit.list({ first: 1, target: { projectId: project.id } });
    expect(records[0]).toMatchObject({ action: 'domain.verified', actor: { role: 'gateway' } });
  });

  test('waits for its record, reports the problem, and continues once it is fixed', async () => {
    const project = await node.project('Second Chance');
    const domain = await node.domains.service.add(project.id, freshName());
    await world.knot.set(domain.name, 'A', '192.0.2.1');
    await node.verify(domain);
    const failed = await node.reaches(domain, 'a problem', hasProblem('conflicting_a_record'));
    expect(failed.problem).toMatchObject({ found: '192.0.2.1', retryAt: expect.any(Date) as Date });
    expect(failed.dns.state).toBe('failed');

    await world.knot.unset(domain.name, 'A');
    await world.knot.set(domain.name, 'CNAME', `${project.host}.`);
    await node.verify(domain);
    const active = await node.reaches(domain, 'a certificate', isActive);
    expect(active.problem).toBeUndefined();
  });

  test('is verified although CAA records forbid the certificate, and gets it once they are fixed', async () => {
    const project = await node.project('Caa');
    const domain = await node.domains.service.add(project.id, freshName());
    await world.knot.set(domain.name, 'CNAME', `${project.host}.`);
    await world.knot.set(domain.registrable, 'CAA', '0 issue "other.example"');
    await node.verify(domain);
    const blocked = await node.reaches(domain, 'a problem', hasProblem('caa_blocks'));
    expect(blocked.dns.state).toBe('verified');
    expect(blocked.certificate).toMatchObject({ state: 'failed' });

    await world.knot.set(domain.registrable, 'CAA', '0 issue "ca.example"');
    await node.verify(domain);
    await node.reaches(domain, 'a certificate', isActive);
  });

  test('goes to the project that proves ownership by TXT; the previous holder sees that', async () => {
    const [first, second] = [await node.project('First'), await node.project('Second')];
    const name = freshName();
    const held = await node.domains.service.add(first.id, name);
    await world.knot.set(name, 'CNAME', `${first.host}.`);
    await node.verify(held);
    await node.reaches(held, 'a certificate', isActive);

    await node.domains.service.setPrimary(first.id, held.id);
    await node.domains.service.setRedirect(first.id, { from: first.host, to: name });
    const claimed = await node.domains.service.add(second.id, name);
    await world.knot.set(name, 'CNAME', `${second.host}.`);
    await node.verify(claimed);
    const asked = await node.reaches(claimed, 'a problem', hasProblem('ownership_txt_required'));
    const records = await node.domains.service.recordsOf(asked, second);
    const txt = records.find(({ type }) => type === 'TXT');
    expect(asked.problem).toMatchObject({ expected: txt?.value });
    expect((await node.domains.store.holderOf(name))?.projectId).toBe(first.id);

    await world.knot.set(txt?.fullName ?? '', 'TXT', `"${txt?.value ?? ''}"`);
    await node.verify(claimed);
    await node.reaches(claimed, 'a certificate', isActive);
    expect((await node.domains.store.holderOf(name))?.projectId).toBe(second.id);
    const lost = await node.domains.service.get(held.id);
    expect(lost).toMatchObject({ holds: false, certificate: { state: 'none' } });
    const left = await node.services.projects.get(first.id);
    expect([left.primaryDomain, left.redirects]).toEqual([undefined, []]);
    const audited = await node.services.audit.list({ first: 1, target: { projectId: first.id } });
    expect(audited.records[0]).toMatchObject({
      action: 'domain.lost',
      actor: { role: 'gateway' },
      before: { domain: name, primaryDomain: name, redirects: `${first.host} → ${name} 301` },
      after: { domain: null, primaryDomain: null, redirects: null },
    });
    expect(lost.problem).toMatchObject({
      code: 'ownership_txt_required',
      message: expect.stringMatching(
        `proved that it owns ${name}.* redirects ended with it: ${first.host} → ${name}\\.`,
      ) as string,
    });
    // Another proof than the one that may still be in the new owner's records.
    expect(lost.ownershipToken).not.toBe(held.ownershipToken);
    expect(lost.problem?.expected).toContain(lost.ownershipToken);
  });

  test('gets no certificate and no error if it is removed during issuance', async () => {
    const project = await node.project('Gone');
    const domain = await node.domains.service.add(project.id, freshName());
    await world.knot.set(domain.name, 'CNAME', `${project.host}.`);
    await node.verify(domain);
    await node.reaches(domain, 'issuing', ({ certificate }) => certificate.state !== 'none');
    await node.domains.service.remove(domain.id);
    // The gateway that held it has given up once a later domain is done.
    await node.reaches(await node.verifying(freshName()), 'a certificate', isActive);
    await expect(node.domains.service.get(domain.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await node.domains.store.holderOf(domain.name)).toBeUndefined();
    expect([...node.logLines, ...other.logLines].filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

test('a dump of the database contains no readable private key', async () => {
  const connection = await rawDatabase(node);
  const collections = await connection.listCollections();
  const documents = await Promise.all(
    collections.map(({ name }) => connection.collection(name).find({}, { raw: true }).toArray()),
  );
  await connection.close();
  const dump = Buffer.concat(documents.flat().map((bytes) => bytes as unknown as Buffer));

  // How each P-256 key begins in PKCS #8 DER: a version, and the identifiers of its algorithm and curve.
  const keyBegins = Buffer.from('020100301306072a8648ce3d020106082a8648ce3d030107', 'hex');
  expect(generateAccountKey().includes(keyBegins)).toBe(true);
  expect(dump.includes('BEGIN CERTIFICATE')).toBe(true);
  expect(dump.includes(keyBegins)).toBe(false);
  expect(dump.includes('PRIVATE KEY')).toBe(false);
});
