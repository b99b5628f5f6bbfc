import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway } from '../support/gateway.js';
import { startGatewayProcess } from '../support/gateway-process.js';
import { rawDatabase } from '../support/raw-database.js';
import { AMPLE } from '../support/rest-client.js';
import { medianOf, takeSample, type Sample } from './sample.js';
import { startTraffic, type TrafficKeys } from './traffic.js';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? '3');
const SAMPLES = 60;
const ADMIN_KEY = 'an-admin-key-for-the-test-of-endurance';

/** By how much the last third may be above the second. The first is for caches to fill and code to be compiled. */
const ALLOWED_GROWTH: Sample = {
  heapMiB: 4,
  rssMiB: 24,
  sockets: 5,
  timers: 10,
  mongodConnections: 3,
  mongodCursors: 3,
};

/** What each kind of traffic is answered with; anything else, above all a 5xx, is a fault. */
const EXPECTED = [
  /^(list|list by pages|query|query never seen|batch|new connection) 200$/,
  /^get (200|404)$/,
  /^create 201$/,
  /^create twice 201 then 201$/,
  /^bad query 200$/,
  /^bad body 400$/,
  /^bad path 404$/,
  /^over quota (200|429)$/,
  /^unknown key (401|429)$/,
  /^cut while (answered|sending|pipelining) cut$/,
  /^a key lives and dies 200 then (401|429)$/,
];

test(
  `${MINUTES} minutes of mixed traffic leave nothing behind`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-soak-'));
    const probe = join(folder, 'probe');
    // Makes keys; the gateway under test is a process of its own on the same database.
    const office = await startGateway();
    const mongod = await rawDatabase(office);
    const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
    uri.pathname = `/${office.databaseName}`;
    const gateway = await startGatewayProcess({
      MONGODB_URI: uri.href,
      ADMIN_API_KEY: ADMIN_KEY,
      ADMIN_REQUESTS_PER_MINUTE: '10000000',
      // Full soon, so that what is kept in it is no growth.
      KEY_CACHE_MAX: '100',
      NODE_OPTIONS: `--require ${join(__dirname, 'probe.cjs')}`,
      SOAK_PROBE: probe,
    });
    try {
      const traffic = startTraffic(gateway.url, await issueKeys(office));
      const samples: Sample[] = [];
      while (samples.length < SAMPLES) {
        await sleep((MINUTES * 60_000) / SAMPLES);
        samples.push(await takeSample(probe, mongod));
      }
      const outcomes = await traffic.stop();
      const [first, second, last] = thirdsOf(samples);
      process.stderr.write(`${report(outcomes, { first, second, last })}\n`);

      const unexpected = [...outcomes.keys()].filter(
        (outcome) => !EXPECTED.some((form) => form.test(outcome)),
      );
      expect(unexpected).toEqual([]);
      for (const form of EXPECTED) expect([...outcomes.keys()]).toContainEqual(expect.stringMatching(form));
      expect(excessOf(second, last)).toEqual([]);
    } finally {
      await gateway.stop();
      await mongod.close();
      await office.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
  MINUTES * 60_000 + 120_000,
);

async function issueKeys({
  services,
  keyOn,
}: Awaited<ReturnType<typeof startGateway>>): Promise<TrafficKeys> {
  const project = await services.projects.create({ name: 'soak', plan: 'enterprise', customQuota: AMPLE });
  const many = (count: number, issue: () => Promise<{ secret: string }>) =>
    Promise.all(Array.from({ length: count }, async () => (await issue()).secret));
  return {
    admin: ADMIN_KEY,
    ample: await many(50, () => keyOn('enterprise', AMPLE)),
    small: await many(5, () => keyOn('enterprise', { ...AMPLE, requestsPerMinute: 5 })),
    projectId: project.id,
  };
}

function thirdsOf(samples: readonly Sample[]): [Sample, Sample, Sample] {
  const size = Math.floor(samples.length / 3);
  return [
    medianOf(samples.slice(0, size)),
    medianOf(samples.slice(size, -size)),
    medianOf(samples.slice(-size)),
  ];
}

/** What grew by more than it may, in words. */
function excessOf(before: Sample, after: Sample): string[] {
  return (Object.keys(ALLOWED_GROWTH) as (keyof Sample)[])
    .map((name) => ({ name, growth: after[name] - before[name] }))
    .filter(({ name, growth }) => growth > ALLOWED_GROWTH[name])
    .map(({ name, growth }) => `${name} grew by ${growth.toFixed(1)}`);
}

function report(outcomes: ReadonlyMap<string, number>, thirds: Record<string, Sample>): string {
  const answers = [...outcomes]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([what, count]) => `${what}: ${count}`);
  const medians = Object.entries(thirds).map(([third, sample]) => {
    const figures = Object.entries(sample).map(([name, figure]) => `${name} ${Number(figure).toFixed(1)}`);
    return `${third} third: ${figures.join(', ')}`;
  });
  return [...answers, ...medians].join('\n');
}
