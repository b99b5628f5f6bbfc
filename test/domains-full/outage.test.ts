import { createAuthority } from '../support/authority.js';
import { startWire } from '../support/wire.js';
import { until } from '../support/until.js';
import {
  certify,
  createBrowser,
  HANDSHAKE_FAILURE,
  holdDomain,
  refusalOf,
  startVisited,
  visitSecurely,
} from '../sites/domains.js';
import { createStore, publish, visit } from '../sites/visitor.js';

/**
 * A gateway that cannot know whether a domain was removed serves it to nobody, whatever it remembers: here, MongoDB is
 * still connected, but says nothing more.
 */
test('a domain is 503, and no connection comes about, once MongoDB is silent; then it is served again', async () => {
  const direct = process.env['TEST_MONGODB_URI'] ?? '';
  const wire = await startWire(direct);
  process.env['TEST_MONGODB_URI'] = wire.uri;
  const gateway = await startVisited({ env: { KEY_CACHE_TTL_SECONDS: '3600' } });
  try {
    const authority = await createAuthority();
    const { project } = await createStore(gateway);
    await publish(gateway, project.id, { 'index.html': 'the shop' });
    const domain = await holdDomain(gateway, project.id, 'www.shop.example');
    await certify(gateway, authority, domain);
    const kept = createBrowser(authority, { maxSockets: 1 });
    const ask = () => visitSecurely(kept, gateway, domain.name);
    expect((await ask()).text).toBe('the shop');

    wire.hold();
    await until('the silence to be noticed', async () => (await ask()).status === 503);
    const fresh = createBrowser(authority, { keepAlive: false });
    const [again, plain, refusal] = await Promise.all([
      ask(),
      visit(gateway, domain.name, '/'),
      refusalOf(visitSecurely(fresh, gateway, domain.name)),
    ]);
    expect(again).toMatchObject({ status: 503, keptAlive: true });
    expect(plain.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(refusal).toMatch(HANDSHAKE_FAILURE);

    wire.release();
    await until('the domain to be served again', async () => (await ask()).status === 200);
    kept.destroy();
  } finally {
    wire.release();
    await gateway.close();
    wire.close();
    process.env['TEST_MONGODB_URI'] = direct;
  }
}, 90_000);
