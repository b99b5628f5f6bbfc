import { startFaultyDns, type FaultyDns } from '../../../support/faulty-dns.js';
import { startGateway } from '../../../support/gateway.js';
import { startKnot, type Knot } from '../../../support/knot.js';
import { until } from '../../../support/until.js';
import { newShop, PLATFORM_HOST, type DomainNode } from './graphql-client.js';

/** Names that lead to the platform by its addresses, which all projects have, and name servers that fail for some types. */
const V4 = ['198.51.100.7', '198.51.100.8'];
const V6 = '2001:db8::7';

let knot: Knot;
let dns: FaultyDns;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  knot = await startKnot();
  dns = await startFaultyDns(knot, ({ name, type }) => {
    if (name.endsWith('no-aaaa.example') && type === 'AAAA') return 'NOTIMP';
    if (name.endsWith('no-cname.example') && type === 'CNAME') return 'REFUSED';
    return undefined;
  });
  gateway = await startGateway({
    env: { PLATFORM_HOST, PUBLIC_URL: 'http://127.0.0.1:3000', DNS_SERVERS: dns.address },
  });
  await gateway.services.customerDomains?.startJobs();
});
afterAll(async () => {
  await gateway.close();
  await dns.close();
  await knot.close();
});

type Shop = Awaited<ReturnType<typeof newShop>>;

async function shop(): Promise<Shop> {
  const made = await newShop(gateway);
  await knot.set(made.host, 'A', ...V4);
  await knot.set(made.host, 'AAAA', V6);
  return made;
}

/** The domain after a look at its records. */
async function looked({ run, domain }: Shop, id: string): Promise<DomainNode> {
  await run('verifyDomain', { id });
  return until('a look at DNS', async () => {
    const now = await domain(id);
    return now !== null && ['failed', 'verified'].includes(now.dnsState) && now;
  });
}

const VERIFIED = { dnsState: 'verified', problem: null };

test('an apex is verified by its A records if its name server fails for AAAA', async () => {
  const owner = await shop();
  await knot.set('no-aaaa.example', 'A', ...V4);
  expect(await looked(owner, (await owner.add('no-aaaa.example')).id)).toMatchObject(VERIFIED);
});

test('an apex and a subdomain are verified by their addresses if their name server rejects CNAME queries', async () => {
  const owner = await shop();
  await knot.set('no-cname.example', 'A', ...V4);
  await knot.set('shop.no-cname.example', 'CNAME', `${owner.host}.`);
  for (const name of ['no-cname.example', 'shop.no-cname.example'])
    expect(await looked(owner, (await owner.add(name)).id)).toMatchObject(VERIFIED);
});

test('a subdomain whose provider publishes addresses in place of its CNAME record is verified', async () => {
  const owner = await shop();
  await knot.set('shop.flat.example', 'A', ...V4);
  await knot.set('shop.flat.example', 'AAAA', V6);
  const { id, records } = await owner.add('shop.flat.example');
  expect(records.map(({ type }) => type)).toEqual(['CNAME']);
  expect(await looked(owner, id)).toMatchObject(VERIFIED);
});

test('it requires the TXT record, like an apex, if another project has a name of the same domain', async () => {
  const [owner, other] = [await shop(), await shop()];
  await knot.set('shop.doubt.example', 'A', ...V4);
  await owner.add('www.doubt.example');
  const { id, records: before } = await other.add('shop.doubt.example');
  expect(before.map(({ type }) => type)).toEqual(['CNAME']);
  const refused = await looked(other, id);
  expect(refused).toMatchObject({ dnsState: 'failed', problem: { code: 'ownership_txt_required' } });
  const proof = refused.records.find(({ type }) => type === 'TXT');
  expect(proof?.fullName).toBe('_pets-gateway.shop.doubt.example');
  await knot.set(proof?.fullName ?? '', 'TXT', `"${proof?.value}"`);
  expect(await looked(other, id)).toMatchObject(VERIFIED);
});

test('it does not take the name from a project whose CNAME record verified it', async () => {
  const [owner, other] = [await shop(), await shop()];
  await knot.set('shop.held.example', 'CNAME', `${owner.host}.`);
  const held = await owner.add('shop.held.example');
  expect(await looked(owner, held.id)).toMatchObject(VERIFIED);
  await knot.unset('shop.held.example', 'CNAME');
  await knot.set('shop.held.example', 'A', ...V4);
  const { id } = await other.add('shop.held.example');
  expect(await looked(other, id)).toMatchObject({ problem: { code: 'ownership_txt_required' } });
  expect(await looked(owner, held.id)).toMatchObject(VERIFIED);
});

test('an apex that has only some of the A records says what it lacks, and one without AAAA records is verified', async () => {
  const owner = await shop();
  await knot.set('some.example', 'A', '198.51.100.7');
  const { id } = await owner.add('some.example');
  const { problem } = await looked(owner, id);
  expect(problem).toMatchObject({ code: 'apex_address_mismatch', found: '198.51.100.7' });
  for (const address of [...V4, V6]) expect(problem?.expected).toContain(address);
  expect(problem?.message).toContain('points to 198.51.100.7, but not to 198.51.100.8');
  await knot.set('some.example', 'A', ...V4);
  expect(await looked(owner, id)).toMatchObject(VERIFIED);
});
