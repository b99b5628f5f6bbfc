import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { connect, type SecureVersion } from 'node:tls';
import { SUITES } from '../../../src/http/server/tls-server.js';
import { createAuthority, type Authority } from '../../support/authority.js';
import { useStarted } from '../../support/gateway.js';
import { exchangeRaw } from '../../support/raw-http.js';
import {
  certify,
  createBrowser,
  HANDSHAKE_FAILURE,
  holdDomain,
  refusalOf,
  startVisited,
  visitSecurely,
} from './domains.js';
import { createStore, publish, visit, type Store } from './visitor.js';

const gateway = useStarted(() => startVisited({ env: { HSTS_SECONDS: '300' } }));
let authority: Authority;
let [one, two]: Store[] = [];
const stores = () => [one, two] as [Store, Store];

beforeAll(async () => {
  authority = await createAuthority();
  for (const [name, set] of [
    ['one', (store: Store) => (one = store)],
    ['two', (store: Store) => (two = store)],
  ] as const) {
    const store = set(await createStore(gateway));
    await publish(gateway, store.project.id, { 'index.html': `the shop of ${name}` });
    await certify(gateway, authority, await holdDomain(gateway, store.project.id, `www.${name}.example`));
  }
});

const ask = (name: string, path = '/', options: Parameters<typeof visitSecurely>[4] = {}) =>
  visitSecurely(createBrowser(authority, { keepAlive: false }), gateway, name, path, options);

const to = (servername: string) => ({
  host: '127.0.0.1',
  port: gateway.httpsPort,
  ca: authority.root,
  servername,
});

describe('the server name of a connection decides', () => {
  it.each(['one', 'two'])('which certificate is shown and whose site is served: %s', async (name) => {
    const { status, text } = await ask(`www.${name}.example`);
    expect([status, text]).toEqual([200, `the shop of ${name}`]);
  });

  it('in any case, and for both versions of TLS', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const browser = createBrowser(authority, {
        minVersion: version,
        maxVersion: version,
        keepAlive: false,
      });
      expect((await visitSecurely(browser, gateway, 'WWW.One.Example')).text).toBe('the shop of one');
    }
  });

  it.each([
    ['of nobody', 'www.nobody.example'],
    ['above a domain', 'one.example'],
    ['below a domain', 'x.www.one.example'],
    ['that is no host name', '_one.example'],
    ['of the platform, which has no certificate here', 'paws.pets.localhost'],
  ])('a name %s is refused in the handshake: %s', async (_what, name) => {
    expect(await refusalOf(ask(name))).toMatch(HANDSHAKE_FAILURE);
  });

  it('a connection without a name is refused, and so is one of an older TLS', async () => {
    const open = (options: object) =>
      new Promise((resolve, reject) => {
        const socket = connect({
          host: '127.0.0.1',
          port: gateway.httpsPort,
          ca: authority.root,
          ...options,
        });
        socket.once('secureConnect', resolve).once('error', reject);
      });
    expect(await refusalOf(open({ servername: '' }))).toMatch(HANDSHAKE_FAILURE);
    const old = { servername: 'www.one.example', minVersion: 'TLSv1', maxVersion: 'TLSv1.1' };
    expect(await refusalOf(open({ ...old, ciphers: 'DEFAULT@SECLEVEL=0' }))).toMatch(
      /alert protocol version/,
    );
  });

  it.each([
    ['forward secrecy and AEAD', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
    [
      'forward secrecy and AEAD, without AES',
      'ECDHE-ECDSA-CHACHA20-POLY1305',
      'ECDHE-ECDSA-CHACHA20-POLY1305',
    ],
    ['CBC', 'ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA384', HANDSHAKE_FAILURE],
    ['CBC and SHA-1', 'ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA', HANDSHAKE_FAILURE],
    ['CCM, which browsers do not use', 'ECDHE-ECDSA-AES128-CCM:ECDHE-ECDSA-AES256-CCM8', HANDSHAKE_FAILURE],
  ])('a client of TLS 1.2 that offers only suites with %s', async (_kind, ciphers, result) => {
    const tls12 = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers } as const;
    const socket = connect({ ...to('www.one.example'), ...tls12 });
    const suite = new Promise<string>((resolve, reject) => {
      socket.once('secureConnect', () => resolve(socket.getCipher().name)).once('error', reject);
    });
    if (typeof result === 'string') expect(await suite).toBe(result);
    else expect(await refusalOf(suite)).toMatch(result);
    socket.destroy();
  });

  it('docs/security.md lists the suites', () => {
    const page = readFileSync(join(__dirname, '../../../docs/security.md'), 'utf8');
    expect(page.match(/\b(?:TLS|ECDHE)[-_][A-Z0-9_-]+/g)).toEqual(SUITES);
  });

  it('HTTP without TLS gets no word', async () => {
    const answer = await exchangeRaw(
      `http://127.0.0.1:${gateway.httpsPort}`,
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expect(answer).not.toContain('HTTP/1.1');
  });
});

describe('a request for another host than the connection was made for is 421', () => {
  it.each([
    ['of another project', 'www.two.example'],
    ['of nobody', 'www.nobody.example'],
    ["that is the platform's", 'pets.localhost'],
    ["that is the operator's", '127.0.0.1'],
    ['that is no host', 'a, b'],
    ['below it', 'x.www.one.example'],
  ])('a host %s: %s', async (_what, host) => {
    const answer = await ask('www.one.example', '/', { host });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([421, { code: 'misdirected_request' }]);
  });

  it.each(['WWW.ONE.EXAMPLE', 'www.one.example.', 'www.one.example:8443'])(
    'the same host, written as %s, is served',
    async (host) => {
      expect((await ask('www.one.example', '/', { host })).text).toBe('the shop of one');
    },
  );

  it('by an absolute target as well, whatever Host says', async () => {
    expect((await ask('www.one.example', 'https://www.two.example/')).status).toBe(421);
    expect((await ask('www.one.example', 'https://www.one.example/', { host: 'www.two.example' })).text).toBe(
      'the shop of one',
    );
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'with a session of another host it has to show the certificate of its own: %s',
    async (version) => {
      const [{ project }] = stores();
      const domain = await holdDomain(gateway, project.id, `${version.toLowerCase()}.one.example`);
      const { serialNumber } = await certify(gateway, authority, domain);
      const session = await sessionOf(version, 'www.one.example');
      const asked = await ask(domain.name, '/', { session, minVersion: version, maxVersion: version });
      expect(asked).toMatchObject({ status: 200, resumed: false });
      expect(asked.serialNumber.toLowerCase()).toBe(serialNumber);
      const other = { session, minVersion: version, maxVersion: version, host: domain.name };
      expect(await ask('www.one.example', '/', other)).toMatchObject({ status: 421, resumed: false });
    },
  );

  /** What a browser keeps of a connection for this name. */
  function sessionOf(version: SecureVersion, servername: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port: gateway.httpsPort,
        ca: authority.root,
        servername,
        minVersion: version,
        maxVersion: version,
      });
      let session = Buffer.alloc(0);
      socket.on('session', (ticket) => (session = ticket)).once('error', reject);
      socket.once('close', () => resolve(session)).resume();
      socket.write(`GET / HTTP/1.1\r\nHost: ${servername}\r\nConnection: close\r\n\r\n`);
    });
  }
});

describe('a renewed certificate', () => {
  it('takes over at the next connection; those that stand go on', async () => {
    const [{ project }] = stores();
    const domain = await holdDomain(gateway, project.id, 'renewed.one.example');
    const first = await certify(gateway, authority, domain);
    const browser = createBrowser(authority, { maxCachedSessions: 0 });
    const serialOf = async (options = {}) =>
      (await visitSecurely(browser, gateway, domain.name, '/', options)).serialNumber.toLowerCase();
    expect(await serialOf()).toBe(first.serialNumber);
    const second = await certify(gateway, authority, domain);
    expect(await serialOf({ headers: { connection: 'close' } })).toBe(first.serialNumber);
    expect((await ask(domain.name)).serialNumber.toLowerCase()).toBe(second.serialNumber);
    expect(await serialOf()).toBe(second.serialNumber);
    browser.destroy();
  });
});

it('a certificate whose key no ring can open is refused, and the log says so without the key', async () => {
  const [{ project }] = stores();
  const domain = await holdDomain(gateway, project.id, 'sealed.one.example');
  await certify(gateway, authority, domain);
  const other = await startVisited({
    beside: gateway,
    env: { KEY_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}` },
  });
  expect(
    await refusalOf(visitSecurely(createBrowser(authority, { keepAlive: false }), other, domain.name)),
  ).toMatch(HANDSHAKE_FAILURE);
  expect(other.logLines.join('')).toContain('it was changed, or sealed for another record');
  await other.close();
});

it('sends HSTS over HTTPS only', async () => {
  expect((await ask('www.one.example')).headers['strict-transport-security']).toBe('max-age=300');
  const [{ host }] = stores();
  expect((await visit(gateway.http, host, '/')).headers).not.toHaveProperty('strict-transport-security');
});

it('a stop does not wait for connections on which nobody speaks', async () => {
  const other = await startVisited({ beside: gateway });
  const silent = connectPlain(other.httpsPort, '127.0.0.1');
  await new Promise((resolve) => silent.once('connect', resolve));
  const ended = new Promise((resolve) => silent.once('close', resolve));
  silent.on('error', () => undefined);
  await other.close();
  await ended;
  expect(silent.destroyed).toBe(true);
});
