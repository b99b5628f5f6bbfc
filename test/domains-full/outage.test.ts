import { setInterval as every } from 'node:timers/promises';
import { createAuthority } from '../support/authority.js';
import { rawDatabase } from '../support/raw-database.js';
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
} from '../interfaces/sites/domains.js';
import { createStore, publish, visit } from '../interfaces/sites/visitor.js';

/**
 * A gateway that cannot know whether a domain was removed serves it to nobody, whatever it remembers: here, MongoDB is
 * still connected, but says nothing more.
 */
test('a domain gets 503 and no connection while MongoDB is silent, then works again', async () => {
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
});

/** As docs/sites.md has it: a change stream that is further behind is not believed. */
const HEARD_WITHIN_MS = 2000;

test('rejects a removed domain even if the change stream is busy and late', async () => {
  const direct = process.env['TEST_MONGODB_URI'] ?? '';
  const here = await startVisited();
  const wire = await startWire(direct);
  process.env['TEST_MONGODB_URI'] = wire.uri;
  const far = await startVisited({ beside: here, env: { KEY_CACHE_TTL_SECONDS: '3600' } });
  process.env['TEST_MONGODB_URI'] = direct;
  const raw = await rawDatabase(here);
  const changing = new AbortController();
  try {
    const { project } = await createStore(here);
    await publish(here, project.id, { 'index.html': 'the shop' });
    const domain = await holdDomain(here, project.id, 'late.shop.example');
    const ask = async () => (await visit(far, domain.name, '/')).status;
    await until('the domain to be served', async () => (await ask()) === 200);
    void keepChanging();

    wire.delay(HEARD_WITHIN_MS + 200);
    await here.services.administration({ role: 'command line' }).removeDomain(domain.id);
    const removedAtMs = performance.now();
    for (let late = 0; late < 3;) {
      const askedAfterMs = performance.now() - removedAtMs;
      const status = await ask();
      if (askedAfterMs < HEARD_WITHIN_MS) continue;
      // MongoDB is asked, over the same long wire: 503 where that takes too long.
      expect([421, 503]).toContain(status);
      late++;
    }
    wire.delay(0);
    await until('the domain to be nobody’s', async () => (await ask()) === 421);
  } finally {
    changing.abort();
    wire.delay(0);
    await far.close();
    await raw.close();
    await here.close();
    wire.close();
  }

  async function keepChanging(): Promise<void> {
    try {
      for await (const _ of every(50, undefined, { signal: changing.signal }))
        await raw.collection('projects').insertOne({ name: 'another change' });
    } catch (error) {
      if (!changing.signal.aborted) throw error;
    }
  }
});
