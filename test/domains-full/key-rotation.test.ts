import { randomBytes } from 'node:crypto';
import {
  isActive,
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from '../support/domain-gateway.js';
import { until } from '../support/until.js';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [FIRST, SECOND] = [newKey('first'), newKey('second')];

let world: DomainWorld;
/** Holds the database; its jobs do not run. */
let holder: DomainGateway;
const running: DomainGateway[] = [];
let count = 0;

beforeAll(async () => {
  world = await startDomainWorld();
});
beforeEach(async () => {
  holder = await startDomainGateway(world, { env: { KEY_ENCRYPTION_KEYS: FIRST } });
  world.answerers.push(holder.domains);
});
afterEach(async () => {
  world.answerers.length = 0;
  await Promise.all(running.splice(0).map((gateway) => gateway.close()));
  await holder.close();
});
afterAll(() => world.close());

/** A gateway that works on domains, with these keys. */
async function start(keys: string): Promise<DomainGateway> {
  const gateway = await startDomainGateway(world, { beside: holder, env: { KEY_ENCRYPTION_KEYS: keys } });
  running.push(gateway);
  await gateway.domains.startJobs();
  return gateway;
}

/** The id of the key that the new certificate of a new domain is sealed with. */
async function issueOne(): Promise<string | undefined> {
  const domain = await holder.verifying(`shop.rotating-${(count += 1)}.test`);
  const { certificate } = await holder.reaches(domain, 'a certificate', isActive);
  return certificate.current?.privateKey.keyId;
}

const errorsOf = ({ logLines }: DomainGateway) => logLines.filter((line) => line.includes('"level":50'));

test.each([
  ['before', FIRST, FIRST],
  ['step 1 on one gateway', FIRST, `${FIRST},${SECOND}`],
  ['step 1 on both', `${FIRST},${SECOND}`, `${FIRST},${SECOND}`],
  ['step 2 on one gateway', `${FIRST},${SECOND}`, `${SECOND},${FIRST}`],
  ['step 2 on both', `${SECOND},${FIRST}`, `${SECOND},${FIRST}`],
])('rotating, %s: certificates are issued without an error', async (_, one, other) => {
  const gateways = [await start(one), await start(other)];
  await Promise.all([issueOne(), issueOne()]);
  expect(gateways.flatMap(errorsOf)).toEqual([]);
});

test('in front on one gateway while the other lacks it: orders go on, and the other names the key', async () => {
  const lacking = await start(FIRST);
  await start(`${SECOND},${FIRST}`);
  // Whichever gateway looks first takes a new domain.
  await until('a certificate under the new key', async () => (await issueOne()) === 'second');
  await until('an error that names the key', () =>
    Promise.resolve(errorsOf(lacking).some((line) => line.includes('lacks \\"second\\"'))),
  );
});
