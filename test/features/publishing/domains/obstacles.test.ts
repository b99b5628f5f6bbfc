import { askGraphQL, dataOf } from '../../../interfaces/graphql/client.js';
import { startGateway } from '../../../support/gateway.js';
import { startKnot, type Knot } from '../../../support/knot.js';
import { newShop } from './graphql-client.js';

/** What `addDomain` reports over GraphQL: the sentences of `domains add` at the command line (test/cli/domains.test.ts). */
let knot: Knot;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let shop: Awaited<ReturnType<typeof newShop>>;

beforeAll(async () => {
  knot = await startKnot();
  gateway = await startGateway({
    env: { PLATFORM_HOST: 'sites.net', PUBLIC_URL: 'http://127.0.0.1:3000', DNS_SERVERS: knot.address },
  });
  shop = await newShop(gateway);
});
afterAll(async () => {
  await gateway.close();
  await knot.close();
});

const OF_SETTINGS = [
  'HTTPS_PORT is not set: the gateway serves the domain over plain HTTP only.',
  'ACME_DIRECTORY_URL is not set: the gateway issues no SSL certificate for the domain.',
  'HTTP_PORT is not set: forward port 80 to PORT, because visitors and the certificate authority connect to port 80.',
];

async function obstaclesTo(name: string, withCounterpart = false): Promise<string[]> {
  const query = `mutation ($input: AddDomainInput!) { addDomain(input: $input) { obstacles } }`;
  const input = { projectId: shop.projectId, name, withCounterpart };
  const asked = askGraphQL<{ addDomain: { obstacles: string[] } }>(gateway, shop.secret, query, { input });
  return (await dataOf(asked)).addDomain.obstacles;
}

test('names settings that are missing and a platform host without an address, once for a pair', async () => {
  await knot.unset('*.sites.net', 'A');
  expect(await obstaclesTo('paws-pair.com', true)).toEqual([
    ...OF_SETTINGS,
    '*.sites.net has no address in DNS. Publish A and AAAA records for *.sites.net.',
  ]);
});

test('names a conflicting record of each domain, but no record that is still missing', async () => {
  await knot.set('*.sites.net', 'A', '198.51.100.7');
  await knot.set('shop.paws-taken.com', 'A', '192.0.2.99');
  expect(await obstaclesTo('shop.paws-taken.com')).toEqual([
    ...OF_SETTINGS,
    expect.stringMatching(
      /^shop\.paws-taken\.com has an A record \(192\.0\.2\.99\), which blocks the CNAME\. Remove it/,
    ),
  ]);
  await knot.set('www.paws-other.com', 'A', '192.0.2.99');
  expect(await obstaclesTo('paws-other.com', true)).toEqual([
    ...OF_SETTINGS,
    expect.stringContaining('www.paws-other.com has an A record (192.0.2.99)'),
  ]);
  expect(await obstaclesTo('shop.paws-free.com')).toEqual(OF_SETTINGS);
});
