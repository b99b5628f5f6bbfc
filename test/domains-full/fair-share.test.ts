import type { Domain } from '../../src/features/publishing/domains/domain.js';
import { startCaProxy, type CaProxy } from '../features/publishing/certificates/ca-proxy.js';
import {
  isActive,
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from '../support/domain-gateway.js';
import { DOMAINS_COLLECTION } from '../../src/features/publishing/domains/mongo-domains-store.js';
import { rawDatabase } from '../support/raw-database.js';
import { startFaultyDns, type FaultyDns } from '../support/faulty-dns.js';
import { until } from '../support/until.js';

const SILENT = 'silent.test';
const STUCK = 'stuck.test';
/** Each takes seconds until the gateway gives up, so all of them take longer than the other customer needs. */
const MANY = 40;

let world: DomainWorld;
let dns: FaultyDns;
let proxy: CaProxy;
let node: DomainGateway;

beforeAll(async () => {
  world = await startDomainWorld();
  dns = await startFaultyDns(world.knot, ({ name }) => (name.endsWith(SILENT) ? 'silence' : undefined));
  proxy = await startCaProxy(world.pebble);
  node = await startDomainGateway(world, {
    env: { DNS_SERVERS: dns.address, ACME_DIRECTORY_URL: proxy.directoryUrl },
  });
  world.answerers.push(node.domains);
  await node.domains.startJobs();
});
afterAll(async () => {
  await node.close();
  await proxy.close();
  await dns.close();
  await world.close();
});

/** As many domains of one customer, each verified as soon as the job looks. */
async function addMany(under: string): Promise<Domain[]> {
  const { id, host } = await node.project(under);
  const domains: Domain[] = [];
  for (let i = 1; i <= MANY; i++) domains.push(await node.domains.service.add(id, `shop-${i}.${under}`));
  if (under !== SILENT) for (const { name } of domains) await world.knot.set(name, 'CNAME', `${host}.`);
  for (const domain of domains) await node.verify(domain);
  return domains;
}

const now = (domains: readonly Domain[]) =>
  Promise.all(domains.map(({ id }) => node.domains.service.get(id)));

test('a customer whose name servers keep silence delays no other: Verify to active', async () => {
  const silent = await addMany(SILENT);
  await until('the silent name servers to be asked', () => Promise.resolve(dns.unanswered() > 0));

  await node.reaches(await node.verifying('shop.quick.test'), 'a certificate', isActive);
  const waiting = (await now(silent)).filter((domain) => domain.dns.state === 'verifying');
  expect(waiting).not.toEqual([]);
});

/** More customers than the job has slots. */
const FORMER = 60;

test('former customers whose name servers keep silence delay nobody when their domains are checked again', async () => {
  const { id: projectId } = await node.project('Former customers');
  const template = await node.domains.service.add(projectId, `template.${SILENT}`);
  const former: Domain[] = [];
  for (let i = 1; i <= FORMER; i++) {
    const { id } = await node.services.projects.create({ name: `Former ${i}`, plan: 'pro' });
    const name = `shop.${i}.former.${SILENT}`;
    const domain: Domain = {
      ...{ ...template, id: `dom_former_${i}`, projectId: id, name, unicode: name },
      ...{ holds: true, dns: { state: 'verified', failures: 0 }, watchAt: new Date() },
    };
    expect(await node.domains.store.insert(domain)).toBeDefined();
    former.push(domain);
  }
  node.domains.wake();
  const unanswered = dns.unanswered();
  await until('their name servers to be asked', () => Promise.resolve(dns.unanswered() > unanswered));

  const prompt = await node.verifying('shop.prompt.test');
  const raw = await rawDatabase(node);
  const checkedAtOnce: number[] = [];
  await until('a certificate beside the checks', async () => {
    const domains = raw.collection<{ _id: string }>(DOMAINS_COLLECTION);
    checkedAtOnce.push(
      await domains.countDocuments({ _id: /^dom_former_/, leaseUntil: { $gt: new Date() } }),
    );
    return isActive(await node.domains.service.get(prompt.id));
  });
  await raw.close();
  // A quarter of the job's slots. The others are free for what somebody waits for.
  expect(Math.max(...checkedAtOnce)).toBeLessThanOrEqual(4);
  const waiting = (await now(former)).filter((domain) => domain.dns.failures === 0);
  expect(waiting).not.toEqual([]);
});

test('a customer whose orders the CA leaves unanswered delays the orders of no other', async () => {
  let unanswered = 0;
  proxy.interfere((path, body) => {
    if (!path.startsWith('/order-plz') || !orderedIn(body).endsWith(STUCK)) return undefined;
    unanswered += 1;
    return 'silence';
  });
  const stuck = await addMany(STUCK);
  await until('an order without an answer', () => Promise.resolve(unanswered > 0));

  await node.reaches(await node.verifying('shop.ordered.test'), 'a certificate', isActive);
  const untried = (await now(stuck)).filter(
    ({ certificate: { issuance } }) => issuance === undefined || issuance.failures === 0,
  );
  expect(untried).not.toEqual([]);
});

/** The host that an order names. */
function orderedIn(jws: string): string {
  const { payload } = JSON.parse(jws) as { payload: string };
  const { identifiers } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    identifiers: { value: string }[];
  };
  return identifiers[0]?.value ?? '';
}
