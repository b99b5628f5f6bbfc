import { startGateway } from '../../../support/gateway.js';
import { startKnot, type Knot } from '../../../support/knot.js';
import { until } from '../../../support/until.js';
import { newShop, PLATFORM_HOST, type DomainNode } from './graphql-client.js';

/** An apex that leads to the platform proves no ownership: the first project must not get a name that another has pending. */
const ADDRESS = '198.51.100.7';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let knot: Knot;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let aheadMs = 0;
beforeAll(async () => {
  knot = await startKnot();
  gateway = await startGateway({
    env: { PLATFORM_HOST, PUBLIC_URL: 'http://127.0.0.1:3000', DNS_SERVERS: knot.address },
    clock: () => Date.now() + aheadMs,
  });
  await gateway.services.customerDomains?.startJobs();
});
afterAll(async () => {
  await gateway.close();
  await knot.close();
});

type Shop = Awaited<ReturnType<typeof newShop>>;

async function shop(): Promise<Shop> {
  const made = await newShop(gateway);
  await knot.set(made.host, 'A', ADDRESS);
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

const TXT_REQUIRED = {
  dnsState: 'failed',
  problem: {
    code: 'ownership_txt_required',
    message: expect.stringContaining('added it in the last seven days') as string,
  },
};

test('an apex that another project has pending requires the TXT record, from both projects', async () => {
  const [owner, other] = [await shop(), await shop()];
  await knot.set('paws.example', 'A', ADDRESS);
  const [owned, taken] = [await owner.add('paws.example'), await other.add('paws.example')];
  expect([owned, taken].map(({ records }) => records.map(({ type }) => type))).toEqual([
    ['ALIAS'],
    ['ALIAS', 'TXT'],
  ]);
  // The other project's domain came later. Its owner learns before Verify that the proof is required now.
  const before = await owner.domain(owned.id);
  expect(before?.records.map(({ type }) => type)).toEqual(['ALIAS', 'TXT']);
  expect(await looked(other, taken.id)).toMatchObject(TXT_REQUIRED);
  const { records } = await looked(owner, owned.id);
  const proof = records.find(({ type }) => type === 'TXT');
  await knot.set(proof?.fullName ?? '', 'TXT', `"${proof?.value}"`);
  expect(await looked(owner, owned.id)).toMatchObject({ dnsState: 'verified', problem: null });
  expect(await looked(other, taken.id)).toMatchObject({ dnsState: 'failed' });
});

test('an apex requires it too if another project has a name below it pending', async () => {
  const [owner, other] = [await shop(), await shop()];
  await knot.set('claws.example', 'A', ADDRESS);
  await owner.add('shop.claws.example');
  expect(await looked(other, (await other.add('claws.example')).id)).toMatchObject(TXT_REQUIRED);
});

test('a subdomain does not: its CNAME record names the project', async () => {
  const [owner, other] = [await shop(), await shop()];
  await other.add('shop.tails.example');
  await knot.set('shop.tails.example', 'CNAME', `${owner.host}.`);
  const { id } = await owner.add('shop.tails.example');
  expect(await looked(owner, id)).toMatchObject({ dnsState: 'verified', problem: null });
});

test('a project does not block itself', async () => {
  const owner = await shop();
  await knot.set('whiskers.example', 'A', ADDRESS);
  await owner.add('www.whiskers.example');
  expect(await looked(owner, (await owner.add('whiskers.example')).id)).toMatchObject({
    dnsState: 'verified',
  });
});

test('an unverified domain older than seven days blocks no project', async () => {
  const [owner, other] = [await shop(), await shop()];
  await knot.set('fur.example', 'A', ADDRESS);
  await other.add('fur.example');
  const { id } = await owner.add('fur.example');
  aheadMs += 7 * DAY_MS - HOUR_MS;
  expect(await looked(owner, id)).toMatchObject(TXT_REQUIRED);
  aheadMs += HOUR_MS + 1;
  expect(await looked(owner, id)).toMatchObject({ dnsState: 'verified' });
});
