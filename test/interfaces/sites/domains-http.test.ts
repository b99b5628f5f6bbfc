import { randomBytes } from 'node:crypto';
import type { Domain } from '../../../src/features/publishing/domains/domain.js';
import { createAuthority, type Authority } from '../../support/authority.js';
import { useStarted } from '../../support/gateway.js';
import { certify, createBrowser, holdDomain, progress, startVisited, visitSecurely } from './domains.js';
import { createStore, publish, visit, type Store, type Visit } from './visitor.js';

/** Nobody asks it for anything here: what a challenge is answered with follows from the account's key. */
const ACME_DIRECTORY_URL = 'https://authority.invalid/directory';

const gateway = useStarted(() => startVisited({ env: { TRUST_PROXY: '', ACME_DIRECTORY_URL } }));
let authority: Authority;
let store: Store;
let plain: Domain;
let secure: Domain;

beforeAll(async () => {
  authority = await createAuthority();
  store = await createStore(gateway);
  await publish(gateway, store.project.id, { 'index.html': 'the shop' });
  plain = await holdDomain(gateway, store.project.id, 'plain.example');
  secure = await holdDomain(gateway, store.project.id, 'secure.example');
  await certify(gateway, authority, secure);
});

const ask = (host: string, path = '/', options: Visit = {}) => visit(gateway.http, host, path, options);
const https = (host: string, path: string) => `https://${host}:${gateway.httpsPort}${path}`;

describe('HTTP', () => {
  it('serves a domain until it has a certificate', async () => {
    const domain = await holdDomain(gateway, store.project.id, 'soon.example');
    expect((await ask(domain.name)).text).toBe('the shop');
    await certify(gateway, authority, domain);
    expect((await ask(domain.name)).headers.location).toBe(https(domain.name, '/'));
  });

  it("serves the platform's hosts, for which there is no certificate here", async () => {
    expect((await ask(store.host)).text).toBe('the shop');
  });

  it.each([
    ['GET', 301],
    ['HEAD', 301],
    ['POST', 308],
    ['DELETE', 308],
    ['OPTIONS', 308],
  ])('leads to HTTPS, path and query kept: %s with %i', async (method, status) => {
    const answer = await ask('SECURE.example:80', '//a/%2e/b?c=%20&d=/', { method });
    expect([answer.status, answer.headers.location]).toEqual([
      status,
      https(secure.name, '//a/%2e/b?c=%20&d=/'),
    ]);
  });

  it('leads to no other host, whatever the target is', async () => {
    for (const path of ['*', 'http://secure.example/x', 'http://secure.example']) {
      const { headers } = await ask(secure.name, path, { method: 'OPTIONS' });
      expect(new URL(headers.location ?? '').host).toBe(`secure.example:${gateway.httpsPort}`);
    }
  });

  it('leads to HTTPS though X-Forwarded-* of somebody says otherwise', async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' };
    const answer = await ask(secure.name, '/', { headers });
    expect([answer.status, answer.headers.location]).toEqual([301, https(secure.name, '/')]);
  });

  it('serves what a trusted proxy had over HTTPS', async () => {
    const behind = await startVisited({ beside: gateway, env: { TRUST_PROXY: 'loopback' } });
    const headers = { 'x-forwarded-proto': 'https' };
    expect((await visit(behind.http, secure.name, '/', { headers })).text).toBe('the shop');
    await behind.close();
  });

  it('is left alone at PORT, where a proxy of the operator may end TLS', async () => {
    expect((await visit(gateway, secure.name, '/')).text).toBe('the shop');
  });

  it.each(['nobody.example', 'pets.localhost'])('of nobody is 421: %s', async (host) => {
    expect((await ask(host)).status).toBe(421);
  });

  it("is the operator's host as at PORT", async () => {
    expect((await ask('127.0.0.1', '/v1/pets')).status).toBe(401);
  });
});

describe('a redirect of the project', () => {
  const set = (from: string, to: string, status = 301) =>
    gateway.services
      .administration({ role: 'command line' })
      .setRedirect(store.project.id, { from, to, status });
  const browser = () => createBrowser(authority, { keepAlive: false });

  it.each([301, 302, 307, 308])(
    'leads with %i to HTTPS of its target, path and query kept',
    async (status) => {
      await set('plain.example', 'secure.example', status);
      for (const server of [gateway.http, gateway]) {
        const answer = await visit(server, plain.name, '/a/b?c=d', { method: 'POST' });
        expect([answer.status, answer.headers.location]).toEqual([status, https(secure.name, '/a/b?c=d')]);
        expect(answer.headers['cache-control']).toContain('max-age=0');
      }
    },
  );

  describe('to a host without a certificate has the scheme that the visitor used', () => {
    beforeAll(async () => {
      for (const name of ['left.example', 'new.example']) await holdDomain(gateway, store.project.id, name);
      await set('left.example', 'new.example');
    });

    it.each([
      ['https', 'a trusted proxy says so', 'loopback', 'https'],
      ['http', 'a trusted proxy says so', 'loopback', 'http'],
      ['http', 'a trusted proxy names no such scheme', 'loopback', 'javascript:alert(1)//'],
      ['http', 'a trusted proxy repeats an address', 'loopback', 'https://evil.example/'],
      ['http', 'somebody else says otherwise', '', 'https'],
    ])('%s, when %s', async (scheme, _what, TRUST_PROXY, said) => {
      const front = await startVisited({ beside: gateway, env: { TRUST_PROXY } });
      const { headers } = await visit(front, 'left.example', '/a', {
        headers: { 'x-forwarded-proto': said },
      });
      await front.close();
      expect(headers.location).toBe(`${scheme}://new.example/a`);
    });
  });

  it("to the platform's host keeps the port of HTTP, from HTTPS as well", async () => {
    const { project, host } = await createStore(gateway);
    await publish(gateway, project.id, { 'index.html': 'the moved shop' });
    const moved = await holdDomain(gateway, project.id, 'moved.example');
    await certify(gateway, authority, moved);
    await gateway.services
      .administration({ role: 'command line' })
      .setRedirect(project.id, { from: moved.name, to: host, status: 302 });
    const { port } = new URL(gateway.http.url);
    const answers = [await ask(moved.name, '/x'), await visitSecurely(browser(), gateway, moved.name, '/x')];
    for (const { headers } of answers) expect(headers.location).toBe(`http://${host}:${port}/x`);
    const atPort = await visit(gateway, `${moved.name}:8080`, '/x');
    expect(atPort.headers.location).toBe(`http://${host}:8080/x`);
  });

  it('to a domain that is not served any more leads nobody there', async () => {
    const { project, host } = await createStore(gateway);
    await publish(gateway, project.id, { 'index.html': 'the other shop' });
    const target = await holdDomain(gateway, project.id, 'target.example');
    await certify(gateway, authority, target);
    await gateway.services
      .administration({ role: 'command line' })
      .setRedirect(project.id, { from: host, to: target.name });
    expect((await ask(host)).headers.location).toBe(https(target.name, '/'));
    await progress(gateway.domains, target.id, (domain) => ({ ...domain, holds: false }));
    await gateway.services.projects.changePlan(project.id, 'business');
    expect((await ask(host)).text).toBe('the other shop');
  });
});

it('pages of other hosts name the primary one', async () => {
  const { project, host } = await createStore(gateway);
  await publish(gateway, project.id, { 'index.html': 'the shop', 'a.html': 'a' });
  const primary = await holdDomain(gateway, project.id, 'primary.example');
  await certify(gateway, authority, primary);
  await gateway.services.administration({ role: 'command line' }).setPrimaryDomain(project.id, primary.id);
  const { headers } = await ask(host, '/a?b=c');
  expect(headers['link']).toBe(`<${https(primary.name, '/a?b=c')}>; rel="canonical"`);
  for (const path of ['/', '/index.html'])
    expect((await ask(host, `${path}?b=c`)).headers['link']).toBe(
      `<${https(primary.name, '/?b=c')}>; rel="canonical"`,
    );
  const atPrimary = await visitSecurely(
    createBrowser(authority, { keepAlive: false }),
    gateway,
    primary.name,
  );
  expect(atPrimary.headers).not.toHaveProperty('link');

  // A primary domain that redirects is not the one to name.
  const target = await holdDomain(gateway, project.id, 'successor.example');
  await certify(gateway, authority, target);
  const change = gateway.services.administration({ role: 'command line' });
  await change.setRedirect(project.id, { from: primary.name, to: target.name });
  expect((await ask(host, '/a')).headers['link']).toBe(`<${https(target.name, '/a')}>; rel="canonical"`);
});

describe('a challenge of the certificate authority', () => {
  const token = randomBytes(24).toString('base64url');
  const path = `/.well-known/acme-challenge/${token}`;
  const expected = () => `${token}.${gateway.domains.accountKey()?.thumbprint ?? 'no account'}`;
  let issuing: Domain;

  beforeAll(async () => {
    issuing = await holdDomain(gateway, store.project.id, 'issuing.example');
    await progress(gateway.domains, issuing.id, (domain) => ({
      ...domain,
      certificate: { ...domain.certificate, state: 'issuing' },
    }));
  });

  it('is answered while a certificate is being issued, and not before or after', async () => {
    expect((await ask(plain.name, path)).status).toBe(404);
    const answer = await ask(issuing.name, path);
    expect([answer.status, answer.text]).toEqual([200, expected()]);
    expect(answer.headers['content-type']).toBe('application/octet-stream');
    await certify(gateway, authority, issuing);
    expect((await ask(issuing.name, path)).status).toBe(404);
  });

  it('is answered to a client that has used up its anonymous limit', async () => {
    const domain = await holdDomain(gateway, store.project.id, 'issuing-too.example');
    await progress(gateway.domains, domain.id, ({ certificate, ...rest }) => ({
      ...rest,
      certificate: { ...certificate, state: 'issuing' },
    }));
    const { anonymous } = gateway.services;
    let charged = 0;
    while (anonymous.charge('127.0.0.1').admitted) charged += 1;
    try {
      expect((await ask('invented.example')).status).toBe(429);
      expect((await ask(domain.name, path)).text).toBe(expected());
    } finally {
      anonymous.refund('127.0.0.1', charged);
    }
  });

  it('is answered before any redirect while one is being renewed', async () => {
    await progress(gateway.domains, secure.id, (domain) => ({
      ...domain,
      certificate: { ...domain.certificate, state: 'renewing' },
    }));
    expect((await ask(secure.name, path)).text).toBe(expected());
    expect((await ask(secure.name, path, { method: 'HEAD' })).status).toBe(200);
  });

  it.each([
    ['for a host of nobody', () => ['nobody.example', path]],
    ['for a host that is none', () => ['a..b', path]],
    ['with a token that no authority makes', () => [secure.name, '/.well-known/acme-challenge/short']],
    ['with a token that is a path', () => [secure.name, `/.well-known/acme-challenge/${token}/../x`]],
    ['without a token', () => [secure.name, '/.well-known/acme-challenge/']],
  ])('is 404 %s', async (_what, what) => {
    const [host = '', target = ''] = what();
    expect((await ask(host, target)).status).toBe(404);
  });

  it('is 404 for what is no read', async () => {
    expect((await ask(secure.name, path, { method: 'POST' })).status).toBe(404);
  });
});
