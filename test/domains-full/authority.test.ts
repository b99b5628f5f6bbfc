import {
  hasProblem,
  isActive,
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from '../support/domain-gateway.js';
import { problem, startCaProxy, type CaProxy } from '../features/publishing/certificates/ca-proxy.js';

/** The authority behind a proxy that does what Pebble never does. Half of its nonces are refused. */
let world: DomainWorld;
let proxy: CaProxy;
let node: DomainGateway;

beforeAll(async () => {
  world = await startDomainWorld({ nonceReject: 50 });
  proxy = await startCaProxy(world.pebble);
  node = await startDomainGateway(world, { env: { ACME_DIRECTORY_URL: proxy.directoryUrl } });
  world.answerers.push(node.domains);
  await node.domains.startJobs();
});
afterAll(async () => {
  await node.close();
  await proxy.close();
  await world.close();
});
beforeEach(() => proxy.interfere(undefined));

const isNewOrder = (path: string) => /order-plz|new-?order/i.test(path);

test('an authority that rejects half of the nonces still issues its certificate', async () => {
  await node.reaches(await node.verifying('shop.nonces.test'), 'a certificate', isActive);
});

test('reports an authority that does not respond, and retries until it does', async () => {
  proxy.interfere(() => 'cut');
  const domain = await node.verifying('shop.down.test');
  const waiting = await node.reaches(domain, 'a problem', hasProblem('ca_unavailable'));
  expect(waiting.dns.state).toBe('verified');
  expect(waiting.problem?.retryAt?.getTime()).toBeGreaterThan(Date.now());
  proxy.interfere(undefined);
  await node.verify(domain);
  await node.reaches(domain, 'a certificate', isActive);
});

test('reports a rate limit; the order waits as long as the authority asks', async () => {
  proxy.interfere((path) =>
    isNewOrder(path) ? problem(429, 'rateLimited', 'injected', { 'Retry-After': '3600' }) : undefined,
  );
  const domain = await node.verifying('shop.limited.test');
  const limited = await node.reaches(domain, 'a problem', hasProblem('ca_rate_limited'));
  const inMs = (limited.problem?.retryAt?.getTime() ?? 0) - Date.now();
  expect(inMs).toBeGreaterThan(3_000_000);
});

test('reports a rejection because of CAA records that only the authority sees', async () => {
  proxy.interfere((path) => (isNewOrder(path) ? problem(403, 'caa', 'injected') : undefined));
  const domain = await node.verifying('shop.unseen-caa.test');
  const refused = await node.reaches(domain, 'a problem', hasProblem('caa_blocks'));
  expect(refused.certificate.state).toBe('failed');
  proxy.interfere(undefined);
  await node.verify(domain);
  await node.reaches(domain, 'a certificate', isActive);
});

test('explains a rejection by its cause, and hides private addresses', async () => {
  const detail = '10.0.0.5: Fetching it: Connection refused';
  proxy.interfere((path) => (isNewOrder(path) ? problem(400, 'connection', detail) : undefined));
  const domain = await node.verifying('shop.closed-port.test');
  const refused = await node.reaches(domain, 'a problem', hasProblem('ca_rejected'));
  expect(refused.problem?.message).toContain(
    'shop.closed-port.test: a private address: Fetching it: Connection refused. The certificate authority must reach the platform at port 80',
  );
  expect(refused.problem?.message).not.toContain('CAA');
});

test('an authority that lost all its data in a restart issues certificates again', async () => {
  await node.reaches(await node.verifying('shop.before.test'), 'a certificate', isActive);
  await world.pebble.stop();
  const domain = await node.verifying('shop.after.test');
  await node.reaches(domain, 'a problem', hasProblem('ca_unavailable'));
  await world.pebble.start();
  await node.verify(domain);
  await node.reaches(domain, 'a certificate', isActive);
});

test('after four failed validations within an hour, neither Verify nor adding the host again causes a fifth', async () => {
  const domain = await node.verifying('shop.unreachable.test');
  const others = world.answerers.splice(0);
  try {
    for (let failures = 1; failures <= 4; failures++) {
      await node.reaches(
        domain,
        `${failures} failed attempts`,
        ({ certificate }) => certificate.failures === failures,
      );
      await node.verify(domain);
    }
    const stopped = await node.reaches(domain, 'a problem', hasProblem('ca_rate_limited'));
    expect(stopped.problem?.retryAt?.getTime()).toBeGreaterThan(Date.now() + 3_000_000);

    const orders = world.pebble.logged('Added order');
    await node.domains.service.remove(domain.id);
    const again = await node.domains.service.add(domain.projectId, domain.name);
    await node.verify(again);
    await node.reaches(again, 'the same problem', hasProblem('ca_rate_limited'));
    expect(world.pebble.logged('Added order')).toBe(orders);
  } finally {
    world.answerers.push(...others);
  }
});

test('a gateway without an authority verifies domains, and leaves certificates to other gateways', async () => {
  const bare = await startDomainGateway(world, { env: { ACME_DIRECTORY_URL: '' } });
  try {
    await bare.domains.startJobs();
    const domain = await bare.verifying('shop.no-authority.test');
    const verified = await bare.reaches(domain, 'verified', ({ dns }) => dns.state === 'verified');
    expect(verified).toMatchObject({ holds: true, certificate: { state: 'none' } });
    const postponed = await bare.reaches(
      domain,
      'a later look',
      ({ nextRunAt }) => nextRunAt !== undefined && nextRunAt.getTime() > Date.now(),
    );
    expect(postponed.problem).toBeUndefined();
  } finally {
    await bare.close();
  }
});
