import type { Connection } from 'mongoose';
import { DAY_MS } from '../../../src/lib/clock.js';
import { OPERATOR_HOST, PLATFORM_HOST, startPlatform } from '../../interfaces/sites/visitor.js';
import { chooseFreePort } from '../../support/free-port.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway-process.js';
import { rawDatabase } from '../../support/raw-database.js';
import { useRawDatabase } from '../../support/use-raw-database.js';
import { samplesOf, valueOf } from './exposition.js';

/** Whole days until each certificate ends; the last one is of a site of the platform, and no customer's. */
const ENDS = [-1, 3, 10, 10, 20, 60];
const DUE_FOR_MS = 120_000;
const CERTIFICATE_END = 'certificate.current.notAfter';

/** Domains with such certificates. The second is due, and in the hands of another gateway, so that it stays due. */
async function insertDomains(raw: Connection, nowMs: number): Promise<void> {
  const domains = raw.collection<{ _id: string }>('domains');
  await domains.insertMany(
    ENDS.map((days, index) => ({
      _id: `dom_${index}`,
      name: `shop-${index}.example`,
      projectId: 'prj_x',
      holds: `shop-${index}.example`,
      isPlatform: index === 5,
      dns: { state: 'verified' },
      status: 'active',
      actionRequiredAt: new Date(nowMs + days * DAY_MS),
      nextRunAt: new Date(nowMs + (index === 1 ? -DUE_FOR_MS : DAY_MS)),
      ...(index === 1 && { leaseUntil: new Date(nowMs + DAY_MS) }),
      certificate: { current: { id: `crt_${index}`, notAfter: new Date(nowMs + days * DAY_MS) } },
    })),
  );
}

function expectDomainsIn(text: string): void {
  const certificates = samplesOf(text).filter(({ name }) => name === 'pets_gateway_certificates');
  expect(certificates.map(({ labels, value }) => [labels['days_left'], value])).toEqual([
    ['expired', 1],
    ['under_7', 1],
    ['under_14', 2],
    ['under_30', 1],
    ['over_30', 1],
  ]);
  expect(valueOf(text, 'domains', { status: 'active' })).toBe(4);
  expect(valueOf(text, 'domains_due')).toBe(1);
  expect(valueOf(text, 'domain_worker_lag_seconds')).toBeGreaterThanOrEqual(DUE_FOR_MS / 1000);
}

/** How often the domains were counted by status and certificates by their end, for these gauges, while `act` ran. */
async function looksDuring(raw: Connection, act: () => Promise<unknown>) {
  const database = raw.getClient().db(raw.name);
  await database.command({ profile: 2 });
  await act();
  await database.command({ profile: 0 });
  const profile = database.collection<{ command: Command }>('system.profile');
  const commands = (await profile.find({ 'command.aggregate': 'domains' }).toArray()).map(
    ({ command }) => command,
  );
  await profile.drop();
  return {
    byStatus: commands.filter(({ hint }) => hint === 'status').length,
    certificates: commands.filter(({ pipeline: [first] }) => first?.$match?.[CERTIFICATE_END] !== undefined)
      .length,
  };
}

interface Command {
  hint?: string;
  pipeline: { $match?: Record<string, unknown> }[];
}

describe.each(['1', '2'])('WORKERS=%s: the gauges of domains and certificates', (workers) => {
  const { database, raw } = useRawDatabase();
  let gateway: GatewayProcess;
  let metricsUrl: string;

  beforeAll(async () => {
    const port = await chooseFreePort();
    metricsUrl = `http://127.0.0.1:${port}/metrics`;
    gateway = await startGatewayProcess({
      MONGODB_URI: database.uri,
      WORKERS: workers,
      METRICS_PORT: String(port),
      PLATFORM_HOST,
      PUBLIC_URL: `http://${OPERATOR_HOST}:3000`,
    });
    await insertDomains(raw(), Date.now());
  });
  afterAll(() => gateway.stop());

  test('are looked up once for a scrape, and say how many there are', async () => {
    let text = '';
    const looks = await looksDuring(raw(), async () => {
      text = await (await fetch(metricsUrl)).text();
    });
    expectDomainsIn(text);
    expect(valueOf(text, 'workers')).toBe(Number(workers));
    expect(looks).toEqual({ byStatus: 1, certificates: 5 });
  });
});

test('all gateways share what one of them has read, for ten seconds', async () => {
  const key = 'the-admin-key-of-this-test';
  let nowMs = Date.now();
  const clock = () => nowMs;
  const platform = await startPlatform({ env: { ADMIN_API_KEY: key }, clock });
  const raw = await rawDatabase(platform);
  const other = await startPlatform({ env: { ADMIN_API_KEY: key }, clock, beside: platform });
  try {
    const scrape = async ({ request }: typeof platform) => (await request('/metrics', { key })).text();
    const scrapeBoth = async () => [await scrape(platform), await scrape(other)];
    const first = await looksDuring(raw, scrapeBoth);
    await insertDomains(raw, nowMs);
    nowMs += 9999;
    let texts: string[] = [];
    const soon = await looksDuring(raw, async () => {
      texts = await scrapeBoth();
    });
    expect(texts.map((text) => valueOf(text, 'domains_due'))).toEqual([0, 0]);
    nowMs += 1000;
    const later = await looksDuring(raw, async () => {
      texts = await scrapeBoth();
    });
    texts.forEach(expectDomainsIn);
    expect([first, soon, later].map(({ byStatus }) => byStatus)).toEqual([1, 0, 1]);
  } finally {
    await other.close();
    await raw.close();
    await platform.close();
  }
});
