import type { Connection } from 'mongoose';
import type { Domain } from '../../src/features/publishing/domains/domain.js';
import { DOMAINS_COLLECTION } from '../../src/features/publishing/domains/mongo-domains-store.js';
import { visit } from '../interfaces/sites/visitor.js';
import { hasProblem, isActive, isAnswered } from '../support/domain-gateway.js';
import { rawDatabase } from '../support/raw-database.js';
import { useDomainGateway } from '../support/use-domain-gateway.js';

const { world, node } = useDomainGateway();
let raw: Connection;

beforeAll(async () => {
  raw = await rawDatabase(node());
});
afterAll(() => raw.close());

async function certified(name: string): Promise<Domain> {
  return node().reaches(await node().verifying(name), 'a certificate', isActive);
}

async function change({ id }: Domain, $set: Record<string, unknown>): Promise<void> {
  await raw.collection<{ _id: string }>(DOMAINS_COLLECTION).updateOne({ _id: id }, { $set });
  node().domains.wake();
}

/** The hours until the next check are over: nobody waits here for hours. */
const makeWatchDue = (domain: Domain) => change(domain, { watchAt: new Date() });

/** Makes the next check due, and returns the domain after that check. */
async function checkedAgain(domain: Domain): Promise<Domain> {
  await makeWatchDue(domain);
  return node().reaches(
    domain,
    'a later check',
    ({ watchAt }) => watchAt !== undefined && watchAt.getTime() > Date.now(),
  );
}

async function stateOf({ id, projectId }: Domain) {
  const { service } = node().domains;
  return service.stateOf(await service.get(id), await node().services.projects.get(projectId));
}

async function hostOf({ projectId }: Domain): Promise<string> {
  const { slug } = await node().services.projects.get(projectId);
  return `${slug}.${world().env['PLATFORM_HOST'] ?? ''}`;
}

const isServed = async ({ name }: Domain) => (await visit(node(), name, '/')).status === 200;

test('checks a live domain again within six hours', async () => {
  const domain = await certified('shop.watched.test');
  const inMs = (domain.watchAt?.getTime() ?? 0) - Date.now();
  expect(inMs).toBeGreaterThan(3 * 3_600_000);
  expect(inMs).toBeLessThanOrEqual(6 * 3_600_000);
});

test('reports a CNAME that moved away and when the site goes dark, keeps serving, and recovers by itself', async () => {
  const domain = await certified('shop.moved.test');
  await world().knot.set(domain.name, 'CNAME', 'elsewhere.test.');
  await makeWatchDue(domain);
  const moved = await node().reaches(domain, 'a problem', hasProblem('cname_mismatch'));
  expect(moved.problem).toMatchObject({ expected: await hostOf(domain), found: 'elsewhere.test' });
  expect(moved.certificate.current).toEqual(domain.certificate.current);

  const state = await stateOf(domain);
  const end = domain.certificate.current?.notAfter;
  expect(state).toMatchObject({ status: 'action_required', servedUntil: end });
  const day = end?.toISOString().slice(0, 10) ?? '';
  expect(state.problem?.message).toContain(`expires on ${day} at `);
  expect(state.problem?.message).toContain('goes dark');
  expect(state.problem?.retryAt?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  expect(await isServed(domain)).toBe(true);

  await world().knot.set(domain.name, 'CNAME', `${await hostOf(domain)}.`);
  await makeWatchDue(domain);
  await node().reaches(domain, 'no problem', ({ problem }) => problem === undefined);
  expect(await stateOf(domain)).toEqual({ status: 'active', problem: undefined, servedUntil: undefined });
});

test('reports a CAA record that forbids the authority before a renewal fails, and recovers by itself', async () => {
  const domain = await certified('shop.forbidden.test');
  await world().knot.set('forbidden.test', 'CAA', '0 issue "other.example"');
  const forbidden = await checkedAgain(domain);
  expect(forbidden.problem).toMatchObject({
    code: 'caa_blocks',
    expected: '0 issue "ca.example"',
    found: '0 issue "other.example"',
  });
  const state = await stateOf(domain);
  expect([state.status, state.servedUntil]).toEqual([
    'action_required',
    domain.certificate.current?.notAfter,
  ]);
  expect(state.problem?.message).toContain('may not be renewed');
  expect(await isServed(domain)).toBe(true);

  // Re-verify does not hide it, and notices the correction at once.
  await node().verify(domain);
  const asked = await node().reaches(domain, 'an answer', isAnswered);
  expect(asked.problem?.code).toBe('caa_blocks');
  await world().knot.unset('forbidden.test', 'CAA');
  expect((await checkedAgain(domain)).problem).toBeUndefined();
  expect((await stateOf(domain)).status).toBe('active');
});

test('tells the operator, not the customer, of a CAA record of the platform, and issues after it is fixed', async () => {
  const domain = await certified('shop.platform-caa.test');
  const host = await hostOf(domain);
  await world().knot.set(host, 'CAA', '0 issue "other.example"');
  const reports = () =>
    node().logLines.filter((line) => line.includes('A CAA record of the platform forbids'));
  expect(reports()).toEqual([]);

  // A domain with a certificate: nothing for its owner to do.
  expect((await checkedAgain(domain)).problem).toBeUndefined();
  expect((await stateOf(domain)).status).toBe('active');
  expect(reports().map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 50, recordName: host, found: '0 issue "other.example"', expected: '0 issue "ca.example"' },
  ]);

  // A new one has to wait, and its owner learns that the operator knows.
  const { projectId } = domain;
  const waiting = await node().domains.service.add(projectId, 'new.platform-caa.test');
  await world().knot.set(waiting.name, 'CNAME', `${host}.`);
  await node().verify(waiting);
  const { problem } = await node().reaches(waiting, 'a problem', hasProblem('caa_blocks'));
  expect(problem).not.toHaveProperty('found');
  expect(problem).not.toHaveProperty('expected');
  expect(problem?.message).toContain('You don’t need to do anything');
  // Once an hour is enough: each domain of the platform finds the same record.
  expect(reports()).toHaveLength(1);

  await world().knot.unset(host, 'CAA');
  await node().verify(waiting);
  await node().reaches(waiting, 'a certificate', isActive);
});

test('a renewal that CAA records permit again ends the problem too', async () => {
  const domain = await certified('shop.permitted.test');
  await world().knot.set('permitted.test', 'CAA', '0 issue "other.example"');
  expect((await checkedAgain(domain)).problem?.code).toBe('caa_blocks');
  await world().knot.unset('permitted.test', 'CAA');
  const due = new Date();
  await change(domain, { 'certificate.failures': 1, 'certificate.nextAt': due, nextRunAt: due });
  const renewed = await node().reaches(
    domain,
    'another certificate',
    ({ certificate }) =>
      isActive({ certificate } as Domain) && certificate.current?.id !== domain.certificate.current?.id,
  );
  expect(renewed.problem).toBeUndefined();
});

test('reports a record that vanished, again and again, and never stops serving the domain', async () => {
  const domain = await certified('shop.vanished.test');
  await world().knot.unset(domain.name, 'CNAME');
  for (let checks = 1; checks <= 12; checks++) {
    const gone = await checkedAgain(domain);
    expect(gone).toMatchObject({ holds: true, problem: { code: 'nxdomain' }, dns: { failures: checks } });
  }
  expect(await isServed(domain)).toBe(true);
  // The checks go on, hours apart.
  const { watchAt } = await node().domains.service.get(domain.id);
  expect((watchAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3 * 3_600_000);
});

test('a lookup failure is no wrong record: a domain stays active, and the third failure in a row is reported', async () => {
  const domain = await certified('shop.lost-zone.test');
  await world().knot.breakZone('lost-zone.test');
  for (const code of [undefined, undefined, 'dns_unavailable']) {
    const checked = await checkedAgain(domain);
    expect([checked.dns.state, checked.problem?.code]).toEqual(['verified', code]);
    expect((await stateOf(domain)).status).toBe('active');
  }
  await world().knot.removeZone('lost-zone.test');
  await world().knot.set(domain.name, 'CNAME', `${await hostOf(domain)}.`);
  expect((await checkedAgain(domain)).problem).toBeUndefined();
});

test('a lookup failure does not hide a record that was wrong before', async () => {
  const domain = await certified('shop.twice-wrong.test');
  await world().knot.set(domain.name, 'CNAME', 'elsewhere.test.');
  expect((await checkedAgain(domain)).problem?.code).toBe('cname_mismatch');
  await world().knot.breakZone('twice-wrong.test');
  const checked = await checkedAgain(domain);
  expect(checked.problem).toMatchObject({ code: 'cname_mismatch', retryAt: checked.watchAt });
  await world().knot.removeZone('twice-wrong.test');
});

test('Re-verify of a live domain reports a lookup failure at once, and the domain stays active', async () => {
  const domain = await certified('shop.re-verified.test');
  await world().knot.breakZone('re-verified.test');
  await node().verify(domain);
  const asked = await node().reaches(domain, 'a problem', hasProblem('dns_unavailable'));
  expect(asked.dns.retryAt).toBeUndefined();
  expect((await stateOf(domain)).status).toBe('active');
  expect((await checkedAgain(domain)).problem?.code).toBe('dns_unavailable');
  await world().knot.removeZone('re-verified.test');
});

test('once the record is right again, a renewal that failed is tried at once', async () => {
  const domain = await certified('shop.late.test');
  const nextAt = new Date(Date.now() + 6 * 3_600_000);
  await world().knot.set(domain.name, 'CNAME', 'elsewhere.test.');
  await checkedAgain(domain);
  await change(domain, { 'certificate.failures': 3, 'certificate.nextAt': nextAt, nextRunAt: nextAt });
  await world().knot.set(domain.name, 'CNAME', `${await hostOf(domain)}.`);
  await makeWatchDue(domain);
  await node().reaches(
    domain,
    'another certificate',
    ({ certificate }) =>
      certificate.state === 'active' && certificate.current?.id !== domain.certificate.current?.id,
  );
});

test('a removed domain is not watched, and one that another project took is not either', async () => {
  const domain = await certified('shop.taken.test');
  const second = await node().project('Taker');
  const claimed = await node().domains.service.add(second.id, domain.name);
  const records = await node().domains.service.recordsOf(claimed, second);
  const txt = records.find(({ type }) => type === 'TXT');
  await world().knot.set(domain.name, 'CNAME', `${second.host}.`);
  await world().knot.set(txt?.fullName ?? '', 'TXT', `"${txt?.value ?? ''}"`);
  await node().verify(claimed);
  await node().reaches(claimed, 'a certificate', isActive);
  const lost = await node().domains.service.get(domain.id);
  expect([lost.holds, lost.watchAt]).toEqual([false, undefined]);
});
