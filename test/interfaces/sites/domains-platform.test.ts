import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPlatformCertificate } from '../../../src/features/publishing/certificates/platform-certificate.js';
import { createAuthority, writeCertificate, type Authority } from '../../support/authority.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';
import {
  createBrowser,
  HANDSHAKE_FAILURE,
  refusalOf,
  startVisited,
  visitSecurely,
  type VisitedGateway,
} from './domains.js';
import { createStore, PLATFORM_HOST, publish, visit } from './visitor.js';

/** HTTPS at the platform's hosts, and at the operator's where the operator's certificate names it. */
const OPERATOR_HOST = 'api.localhost';
const MINUTE_MS = 60_000;

const folder = useTemporaryFolder();
let authority: Authority;
let aheadMs: number;
let files: { cert: string; key: string };

beforeAll(async () => {
  authority = await createAuthority();
});
beforeEach(() => {
  aheadMs = 0;
  files = { cert: join(folder(), 'cert.pem'), key: join(folder(), 'key.pem') };
});

/** As whatever renews it does. Resolves to its serial number. */
const write = async (...hostnames: string[]) =>
  (await writeCertificate(folder(), authority, ...hostnames)).serialNumber;

function start(): Promise<VisitedGateway> {
  return startVisited({
    clock: () => Date.now() + aheadMs,
    env: {
      KEY_ENCRYPTION_KEYS: '',
      PUBLIC_URL: `https://${OPERATOR_HOST}`,
      PLATFORM_TLS_CERT_FILE: files.cert,
      PLATFORM_TLS_KEY_FILE: files.key,
    },
  });
}

const ask = (gateway: VisitedGateway, host: string, path = '/') =>
  visitSecurely(createBrowser(authority, { keepAlive: false }), gateway, host, path);

test("a wildcard certificate is for every site of the platform, and for the operator's host it names", async () => {
  await write(`*.${PLATFORM_HOST}`, OPERATOR_HOST);
  const gateway = await start();
  const { host, project } = await createStore(gateway);
  await publish(gateway, project.id, { 'index.html': 'the shop' });
  expect((await ask(gateway, host)).text).toBe('the shop');
  expect((await ask(gateway, OPERATOR_HOST, '/v1/pets')).status).toBe(401);
  for (const name of [host, OPERATOR_HOST]) {
    const { status, headers } = await visit(gateway.http, name, '/a?b');
    expect([status, headers.location]).toEqual([301, `https://${name}:${gateway.httpsPort}/a?b`]);
  }
  for (const name of [`nobody.${PLATFORM_HOST}`, `x.${host}`, PLATFORM_HOST])
    expect(await refusalOf(ask(gateway, name))).toMatch(HANDSHAKE_FAILURE);
  await gateway.close();
});

test("without the operator's host in it, that host has HTTP alone", async () => {
  await write(`*.${PLATFORM_HOST}`);
  const gateway = await start();
  expect(await refusalOf(ask(gateway, OPERATOR_HOST))).toMatch(HANDSHAKE_FAILURE);
  expect((await visit(gateway.http, OPERATOR_HOST, '/v1/pets')).status).toBe(401);
  await gateway.close();
});

test('files that changed are in use a minute later; unusable ones are logged, and the last good stays', async () => {
  const first = await write(`*.${PLATFORM_HOST}`);
  const gateway = await start();
  const { host } = await createStore(gateway);
  const serial = async () => (await ask(gateway, host)).serialNumber.toLowerCase();
  expect(await serial()).toBe(first);
  const second = await write(`*.${PLATFORM_HOST}`);
  aheadMs += MINUTE_MS;
  expect(await serial()).toBe(second);
  await writeFile(files.key, 'not a key');
  aheadMs += MINUTE_MS;
  expect(await serial()).toBe(second);
  expect(gateway.logLines.join('')).toContain('the previous one stays in use');
  await gateway.close();
});

test('once it has expired a site is served over HTTP, and says so', async () => {
  await write(`*.${PLATFORM_HOST}`, OPERATOR_HOST);
  const gateway = await start();
  const { host, project } = await createStore(gateway);
  await publish(gateway, project.id, { 'index.html': 'the shop' });
  expect((await visit(gateway.http, host, '/')).status).toBe(301);
  aheadMs +=
    readPlatformCertificate({ certFile: files.cert, keyFile: files.key }, Date.now, fail)
      .expiresAt()
      .getTime() - Date.now();
  expect((await visit(gateway.http, host, '/')).text).toBe('the shop');
  expect((await visit(gateway.http, OPERATOR_HOST, '/v1/pets')).status).toBe(401);
  expect(await gateway.domains.platformHosts.siteOf(project)).toMatchObject({ isHttps: false });
  await gateway.close();
});

test('reports a key that does not match the certificate at the start', async () => {
  await write(`*.${PLATFORM_HOST}`);
  const certificate = await readFile(files.cert);
  await write(`*.${PLATFORM_HOST}`);
  await writeFile(files.cert, certificate);
  const read = () => readPlatformCertificate({ certFile: files.cert, keyFile: files.key }, Date.now, fail);
  expect(read).toThrow(/cert\.pem cannot be used with the key in .*key\.pem: .*mismatch/);
});

function fail(error: unknown): never {
  throw error;
}
