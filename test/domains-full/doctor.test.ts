import { createServer } from 'node:net';
import { once } from 'node:events';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { startVisited, type VisitedGateway } from '../interfaces/sites/domains.js';
import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';
import { startDomainWorld, type DomainWorld } from '../support/domain-gateway.js';
import { chooseFreePort } from '../support/free-port.js';

/** What `doctor` says about DNS, ports and the authority, on real ones. */
let world: DomainWorld;
let gateway: VisitedGateway;
const database = freshDatabase();
const SITE = 'doctor-check.pets.test';

beforeAll(async () => {
  world = await startDomainWorld();
  gateway = await startVisited({ env: world.env });
});
beforeEach(() => world.knot.set(SITE, 'A', '127.0.0.1'));
afterAll(async () => {
  await gateway.close();
  await world.close();
  await database.drop();
});

/** What it finds with these settings, without the remedies, by what it looked at. */
async function examine(check: string, env: Record<string, string>) {
  const { stdout } = await runCommand(database, ['doctor', '--json'], { PORT: '1', ...world.env, ...env });
  const findings = JSON.parse(stdout) as Finding[];
  return findings.filter((one) => one.check === check).map(({ verdict, finding }) => [verdict, finding]);
}

test.each([
  ['that agree', '127.0.0.1', ['ok', 'are the addresses of *.pets.test']],
  [
    'of which one is not in DNS',
    '127.0.0.1,203.0.113.5',
    ['warning', 'lists 203.0.113.5, to which *.pets.test does not lead'],
  ],
])('compares PLATFORM_ADDRESSES with DNS: addresses %s', async (_what, listed, expected) => {
  expect(await examine('PLATFORM_ADDRESSES', { PLATFORM_ADDRESSES: listed })).toEqual([expected]);
});

test('reports an address of the sites that PLATFORM_ADDRESSES lacks', async () => {
  await world.knot.set(SITE, 'A', '127.0.0.1', '192.0.2.9');
  expect(await examine('PLATFORM_ADDRESSES', { PLATFORM_ADDRESSES: '127.0.0.1' })).toEqual([
    ['warning', 'lacks 192.0.2.9, to which *.pets.test leads'],
  ]);
});

test('reports a profile that the authority does not have', async () => {
  expect(await examine('ACME_PROFILE', {})).toEqual([['ok', expect.stringContaining('ninety-days')]]);
  expect(await examine('ACME_PROFILE', { ACME_PROFILE: 'toString' })).toEqual([
    ['fault', 'the certificate authority has no profile toString, and rejects every order'],
  ]);
});

test('reports CAA records of the platform that forbid the authority for customers’ domains', async () => {
  const permitted = [['ok', 'permit the certificate authority for *.pets.test']];
  // Those above the host of a site count only for a certificate of its own.
  await world.knot.set('pets.test', 'CAA', '0 issue "other.example"');
  expect(await examine('CAA records', { PLATFORM_CERTIFICATES_PER_WEEK: '0' })).toEqual(permitted);
  expect(await examine('CAA records', { HTTPS_PORT: '1', PLATFORM_CERTIFICATES_PER_WEEK: '5' })).toEqual([
    ['fault', 'of pets.test (0 issue "other.example") forbid the certificate authority for *.pets.test'],
  ]);
  await world.knot.unset('pets.test', 'CAA');

  await world.knot.set('*.pets.test', 'CAA', '0 issue ";"');
  await world.knot.unset(SITE, 'A');
  expect(await examine('CAA records', {})).toEqual([
    ['fault', `of ${SITE} (0 issue ";") forbid the certificate authority for *.pets.test`],
  ]);
  await world.knot.unset('*.pets.test', 'CAA');
  await world.knot.breakZone('pets.test');
  expect(await examine('CAA records', {})).toEqual([
    ['warning', `DNS does not answer for ${SITE} (CAA, SERVFAIL)`],
  ]);
  await world.knot.removeZone('pets.test');
  expect(await examine('CAA records', {})).toEqual(permitted);
});

describe('looks at the ports for visitors', () => {
  const portsOf = () => ({
    PORT: new URL(gateway.url).port,
    HTTP_PORT: new URL(gateway.http.url).port,
    HTTPS_PORT: String(gateway.httpsPort),
  });
  const SETTINGS = ['HTTP_PORT', 'HTTPS_PORT'] as const;

  test.each(SETTINGS)('%s: a gateway, here and at the address in DNS', async (setting) => {
    const ports = portsOf();
    expect(await examine(setting, ports)).toEqual([
      ['ok', `a gateway listens at 127.0.0.1:${ports[setting]}, and at port ${ports[setting]} of 127.0.0.1`],
    ]);
  });

  test.each(SETTINGS)('%s: a gateway that visitors cannot reach', async (setting) => {
    const ports = portsOf();
    const closed = String(await chooseFreePort());
    expect(await examine(setting, { ...ports, [`PUBLIC_${setting}`]: closed })).toEqual([
      [
        'warning',
        `a gateway listens at 127.0.0.1:${ports[setting]}, but from this machine none answers at port ${closed} of 127.0.0.1`,
      ],
    ]);
  });

  test.each(SETTINGS)('%s: another program', async (setting) => {
    const other = createServer((socket) => socket.on('error', () => undefined).end('hello\n'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    try {
      expect(await examine(setting, { [setting]: String(port) })).toEqual([
        ['fault', expect.stringContaining(`another program listens at 127.0.0.1:${port}`)],
      ]);
    } finally {
      other.close();
    }
  });

  test('HTTPS_PORT: a TLS server, while no gateway runs', async () => {
    const port = String(gateway.httpsPort);
    expect(await examine('HTTPS_PORT', { HTTPS_PORT: port })).toEqual([
      ['fault', `another program listens at 127.0.0.1:${port}`],
    ]);
  });

  test('HTTP_PORT: names port 80 as well', async () => {
    const [[, finding] = []] = await examine('HTTP_PORT', { HTTP_PORT: '80' });
    expect(finding).toContain('127.0.0.1:80');
  });

  test.each(SETTINGS)('%s: nothing yet, and a gateway that runs without it', async (setting) => {
    const free = String(await chooseFreePort());
    expect(await examine(setting, { [setting]: free })).toEqual([
      ['ok', `nothing listens at 127.0.0.1:${free} yet`],
    ]);
    const { port } = new URL(gateway.url);
    expect(await examine(setting, { PORT: port, [setting]: free })).toEqual([
      ['fault', `the running gateway does not listen at 127.0.0.1:${free}`],
    ]);
  });
});
