import { isPrivateAddress } from '../../../../src/features/publishing/domains/dns/private-addresses.js';
import { startGateway } from '../../../support/gateway.js';
import { startKnot, type Knot } from '../../../support/knot.js';
import { until } from '../../../support/until.js';
import { newShop, type DomainNode } from './graphql-client.js';

/** What the check of a domain tells about a network that only the gateway's DNS servers know. */
let knot: Knot;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let shop: Awaited<ReturnType<typeof newShop>>;
let host: string;

beforeAll(async () => {
  knot = await startKnot();
  gateway = await startGateway({
    env: { PLATFORM_HOST: 'sites.net', PUBLIC_URL: 'http://127.0.0.1:3000', DNS_SERVERS: knot.address },
  });
  await gateway.services.customerDomains?.startJobs();
  shop = await newShop(gateway);
  host = `${(await shop.project()).slug}.sites.net`;
  await knot.set(host, 'A', '198.51.100.7');
  await knot.set('vault.corp.internal', 'A', '10.77.1.23');
  await knot.set('vault.corp.internal', 'AAAA', 'fd00::1');
  await knot.set('alias.corp.internal', 'CNAME', 'vault.corp.internal.');
});
afterAll(async () => {
  await gateway.close();
  await knot.close();
});

/** The domain after a look at its records. */
async function looked(name: string): Promise<DomainNode> {
  const { id } = await shop.add(name);
  await shop.run('verifyDomain', { id });
  return until(`a look at ${name}`, async () => {
    const domain = await shop.domain(id);
    return domain?.dnsState === 'failed' && domain;
  });
}

test.each([
  ...['vault.corp.internal', 'corp.internal', 'printer.lan', 'nas.home', 'mail.corp', 'router.home.arpa'],
  ...['printer.local', 'a.localhost', 'a.test', 'a.example', 'a.invalid', 'a.onion', 'a.alt', 'a.intranet'],
])('rejects %s: a name of private networks', async (name) => {
  const { errors } = await shop.send('addDomain', { projectId: shop.projectId, name });
  expect(errors).toMatchObject([
    {
      message: expect.stringContaining('must be a public name') as string,
      extensions: { code: 'invalid_request' },
    },
  ]);
});

test('does not reveal a private address of a public name', async () => {
  await knot.set('inner.paws-a.com', 'A', '10.77.1.23', '10.77.1.24');
  expect((await looked('inner.paws-a.com')).problem).toMatchObject({
    code: 'conflicting_a_record',
    found: 'a private address',
    message: expect.not.stringContaining('10.77') as string,
  });
  await knot.set('inner.paws-b.com', 'AAAA', 'fd00::1');
  expect((await looked('inner.paws-b.com')).problem).toMatchObject({
    code: 'conflicting_aaaa_record',
    found: 'a private address',
  });
  await knot.set('paws-c.com', 'A', '192.168.7.7', '198.51.100.9');
  const { problem } = await looked('paws-c.com');
  expect(problem).toMatchObject({ code: 'apex_address_mismatch', expected: '198.51.100.7' });
  expect(problem?.found?.split(', ').sort()).toEqual(['198.51.100.9', 'a private address']);
});

test.each(['vault', 'alias', 'nothing'])(
  'a CNAME record to %s.corp.internal reveals nothing of the private network',
  async (label) => {
    const [subdomain, loop] = [`shop.${label}-paws.com`, `loop.${label}-paws.com`];
    await knot.set(subdomain, 'CNAME', `${label}.corp.internal.`);
    expect((await looked(subdomain)).problem).toMatchObject({
      code: 'cname_mismatch',
      found: 'a private name',
      message: expect.not.stringContaining('internal') as string,
    });
    await knot.set(loop, 'CNAME', `${subdomain}.`);
    expect((await looked(loop)).problem).toMatchObject({ code: 'cname_mismatch', found: subdomain });
  },
);

test('does not reveal a TXT record of a private network', async () => {
  const other = await newShop(gateway);
  await knot.set('taken-paws.com', 'A', '198.51.100.7');
  await gateway.services.customerDomains?.store.recordHolding(
    { ...(await domainOf('taken-paws.com', other)), projectId: other.projectId },
    new Date(),
  );
  await knot.set('secret.corp.internal', 'TXT', '"the password"');
  await knot.set('_pets-gateway.taken-paws.com', 'CNAME', 'secret.corp.internal.');
  expect((await looked('taken-paws.com')).problem).toMatchObject({
    code: 'ownership_txt_required',
    found: null,
  });
});

async function domainOf(name: string, { add }: typeof shop) {
  const { id } = await add(name);
  const found = await gateway.services.customerDomains?.service.get(id);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

test('recognizes public addresses', () => {
  const addresses = {
    no: [
      '198.51.100.7',
      '1.1.1.1',
      '172.32.0.1',
      '100.128.0.1',
      '2606:4700::1111',
      '2001:db8::1',
      '223.255.255.255',
    ],
    yes: [
      ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.31.255.255', '192.0.0.1'],
      ...[
        '192.168.1.1',
        '198.19.0.1',
        '224.0.0.1',
        '255.255.255.255',
        '::',
        '::1',
        '::ffff:10.0.0.1',
        '::10.0.0.1',
      ],
      ...['64:ff9b::a00:1', 'fd00::1', 'fe80::1', 'fec0::1', 'ff02::1', '2002:a00:1::', '2001:0:a00:1::'],
    ],
  };
  expect(addresses.no.filter(isPrivateAddress)).toEqual([]);
  expect(addresses.yes.filter((address) => !isPrivateAddress(address))).toEqual([]);
});
