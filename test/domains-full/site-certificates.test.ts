import { siteDomainId } from '../../src/features/publishing/domains/site-domain.js';
import type { Domain } from '../../src/features/publishing/domains/domain.js';
import type { Site } from '../../src/features/publishing/domains/platform-hosts.js';
import { chooseFreePort } from '../support/free-port.js';
import type { Project } from '../../src/features/projects/project.js';
import {
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from '../support/domain-gateway.js';
import { until } from '../support/until.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PER_WEEK = 2;
const ISSUED = 'Issued certificate serial';

/** Two gateways that have a certificate issued for each site, two of them a week. */
let world: DomainWorld;
/** Holds the database; its settings know nothing of certificates for sites. */
let bare: DomainGateway;
let running: DomainGateway[] = [];
let laterMs = 0;

beforeAll(async () => {
  world = await startDomainWorld();
  bare = await startDomainGateway(world, { clock });
  world.answerers.push(bare.domains);
});
afterAll(async () => {
  await stopAll();
  await bare.close();
  await world.close();
});

function clock(): number {
  return Date.now() + laterMs;
}

async function start(env: Record<string, string> = {}): Promise<DomainGateway> {
  const gateway = await startDomainGateway(world, {
    beside: bare,
    clock,
    env: {
      HTTPS_PORT: String(await chooseFreePort()),
      PLATFORM_CERTIFICATES_PER_WEEK: String(PER_WEEK),
      ...env,
    },
  });
  running.push(gateway);
  await gateway.domains.startJobs();
  return gateway;
}

async function stopAll(): Promise<void> {
  await Promise.all(running.map((gateway) => gateway.close()));
  running = [];
}

function working(): DomainGateway {
  const [gateway] = running;
  if (gateway === undefined) throw new Error('no gateway runs');
  return gateway;
}

async function reaches(site: Project, what: string, is: (site: Site, domain: Domain) => boolean) {
  const { platformHosts, store } = working().domains;
  return until(`${site.slug}: ${what}`, async () => {
    // One after the other: the domain is no older than what the site says of it.
    const now = await platformHosts.siteOf(site);
    const domain = await store.get(siteDomainId(site.id));
    return now !== undefined && domain !== undefined && is(now, domain) && { site: now, domain };
  });
}
const standing = (sites: readonly Project[]) =>
  Promise.all(sites.map((site) => working().domains.platformHosts.siteOf(site)));
const isHttps = (site: Site) => site.isHttps;
const isHeldUp = ({ problem }: Site) => problem?.code === 'ca_rate_limited';
const issued = () => world.pebble.logged(ISSUED);

test('sites get certificates within the weekly budget, from any gateway, also after a restart; renewals always', async () => {
  // They went live while there were no certificates for sites, one of them on a plan without domains.
  const sites = [
    await bare.project('One', 'free'),
    await bare.project('Two'),
    await bare.project('Three'),
    await bare.project('Four', 'free'),
  ];
  await start();
  await start();
  const outcomes = await Promise.all(
    sites.map((site) => reaches(site, 'an outcome', (now) => isHttps(now) || isHeldUp(now))),
  );
  const certified = outcomes.filter(({ site }) => site.isHttps);
  const waiting = outcomes.filter(({ site }) => !site.isHttps);
  expect([certified.length, waiting.length, issued()]).toEqual([PER_WEEK, sites.length - PER_WEEK, PER_WEEK]);
  for (const { site } of waiting) {
    expect(site).toMatchObject({ url: expect.stringMatching(/^http:/) as string, certificateState: 'none' });
    expect(site.problem?.message).toMatch(/2 certificates in seven days .* served over HTTP\.$/);
    const inMs = (site.problem?.retryAt?.getTime() ?? 0) - clock();
    expect(inMs).toBeLessThanOrEqual(HOUR_MS);
  }

  await stopAll();
  await start();
  // Every gateway has seen all due steps once a later one is done.
  const later = await bare.project('Later');
  await working().domains.platformHosts.certifyAll();
  await reaches(later, 'its problem', isHeldUp);
  expect(issued()).toBe(PER_WEEK);

  // The budget is spent, and a renewal is due.
  const [renewed] = certified;
  if (renewed === undefined) throw new Error('one has a certificate');
  const { pem = '', serialNumber } = renewed.domain.certificate.current ?? {};
  const window = { start: new Date(Date.now() - 2 * DAY_MS), end: new Date(Date.now() - DAY_MS) };
  await world.pebble.setRenewalInfo(pem, JSON.stringify({ suggestedWindow: window }));
  await bare.domains.store.makeCertificatesDue(renewed.domain.projectId, new Date(clock()));
  const project = await bare.services.projects.get(renewed.domain.projectId);
  await reaches(
    project,
    'another certificate',
    (_site, { certificate }) => certificate.current?.serialNumber !== serialNumber,
  );
  expect(issued()).toBe(PER_WEEK + 1);

  // A week on there is room again, for two of the three who wait.
  laterMs = 7.1 * DAY_MS;
  working().domains.wake();
  const three = [later, ...sites.filter(({ id }) => waiting.some(({ domain }) => domain.projectId === id))];
  await until('two of them to have certificates, and the third to wait again', async () => {
    const now = await standing(three);
    const next = now.find((site) => site?.isHttps === false)?.problem?.retryAt;
    return now.filter((site) => site?.isHttps).length === PER_WEEK && (next?.getTime() ?? 0) > clock();
  });
});

test('a failed attempt frees its part of the budget for another site', async () => {
  await stopAll();
  // Nobody waits any more, and nothing counts any more.
  laterMs = 15 * DAY_MS;
  await start();
  await until('all to have certificates', async () => {
    const live = await bare.services.projects.list();
    const now = await standing(live);
    return now.every((site) => site?.isHttps === true);
  });
  await stopAll();
  laterMs = 23 * DAY_MS;
  await start({ PLATFORM_CERTIFICATES_PER_WEEK: '1' });
  const others = world.answerers.splice(0);
  const site = await bare.project('Unreachable');
  await working().domains.platformHosts.certify(site.id);
  working().domains.wake();
  const { site: failed } = await reaches(site, 'a problem', ({ problem }) => problem?.code === 'ca_rejected');
  expect(failed.problem?.message).toMatch(/contact the operator of the platform\. Without a certificate/);
  world.answerers.push(...others);

  const other = await bare.project('Reachable');
  await working().domains.platformHosts.certify(other.id);
  working().domains.wake();
  await reaches(other, 'its certificate', isHttps);
});

test('when sites no longer get their own certificates, no step runs and nothing is requested', async () => {
  await stopAll();
  const site = await bare.project('Rested');
  const knowing = await startDomainGateway(world, {
    beside: bare,
    clock,
    env: { HTTPS_PORT: String(await chooseFreePort()) },
  });
  await knowing.domains.platformHosts.certify(site.id);
  await knowing.close();
  const orders = world.pebble.logged('Added order');
  await start({ PLATFORM_CERTIFICATES_PER_WEEK: '0' });
  const { domain } = await reaches(
    site,
    'a later look',
    (_now, { nextRunAt }) => nextRunAt !== undefined && nextRunAt.getTime() > clock(),
  );
  expect(domain).toMatchObject({ certificate: { state: 'none' } });
  expect(world.pebble.logged('Added order')).toBe(orders);
});
