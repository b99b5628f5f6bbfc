import { randomBytes } from 'node:crypto';
import { siteDomainId } from '../../../../src/features/publishing/domains/site-domain.js';
import { createAuthority } from '../../../support/authority.js';
import { until } from '../../../support/until.js';
import {
  certify,
  createBrowser,
  holdDomain,
  startVisited,
  visitSecurely,
} from '../../../interfaces/sites/domains.js';
import { createStore, publish } from '../../../interfaces/sites/visitor.js';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [FIRST, SECOND] = [newKey('first'), newKey('second')];

/** Asked for nothing here: what rests is not renewed. */
const ACME_DIRECTORY_URL = 'https://authority.invalid/directory';

test('keys of a suspended domain and of a site move to the first key of the ring, without a renewal', async () => {
  const authority = await createAuthority();
  const env = { ACME_DIRECTORY_URL, DOMAIN_GRACE_DAYS: '0' };
  const old = await startVisited({ env: { ...env, KEY_ENCRYPTION_KEYS: FIRST } });
  const { project, host } = await createStore(old);
  await publish(old, project.id, { 'index.html': 'the shop' });
  const site = await old.domains.store.get(siteDomainId(project.id));
  if (site === undefined) throw new Error('it is deployed');
  const domain = await holdDomain(old, project.id, 'suspended.example');
  for (const certified of [site, domain]) await certify(old, authority, certified);
  const change = old.services.administration({ role: 'command line' });
  await change.changePlan(project.id, 'free');

  const rotating = await startVisited({
    beside: old,
    env: { ...env, KEY_ENCRYPTION_KEYS: `${SECOND},${FIRST}`, PLATFORM_CERTIFICATES_PER_WEEK: '0' },
  });
  await rotating.domains.startWorker();
  for (const { id } of [site, domain])
    await until(`${id} under the new key`, async () => {
      const now = await old.domains.store.get(id);
      return now?.certificate.current?.privateKey.keyId === 'second';
    });
  await rotating.close();

  await change.changePlan(project.id, 'pro');
  const later = await startVisited({ beside: old, env: { ...env, KEY_ENCRYPTION_KEYS: SECOND } });
  const browser = createBrowser(authority, { keepAlive: false });
  for (const name of [host, domain.name])
    expect((await visitSecurely(browser, later, name)).text).toBe('the shop');
  await later.close();
  await old.close();
});
