import { readFile } from 'node:fs/promises';
import { request as requestPlain } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { makeCertificates } from '../../support/certificates.js';
import { launchChromium } from '../../support/chromium.js';
import { chooseFreePort } from '../../support/free-port.js';
import { startGateway } from '../../support/gateway.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';

/**
 * What a real browser makes of the cookie and the headers, over HTTPS as behind a proxy. The page that attacks is as near
 * as one can be: of the same site, at another port of the same host, so that the browser sends it the cookie.
 */
interface Seen {
  asked: string;
  status: number | undefined;
  hasCookie: boolean;
  origin: string | undefined;
}

const folder = useTemporaryFolder();
let gateway: Awaited<ReturnType<typeof startGateway>>;
let browser: Browser;
let servers: Server[];
/** What came to the gateway. */
let seen: Seen[];
let origin: string;
let evil: string;
let secret: string;

beforeEach(async () => {
  const { certificate, key } = await makeCertificates(folder());
  const [cert, privateKey] = await Promise.all([readFile(certificate), readFile(key)]);
  const port = await chooseFreePort();
  origin = `https://localhost:${port}`;
  seen = [];
  gateway = await startGateway({ env: { PUBLIC_URL: origin } });
  const proxy = createServer({ cert, key: privateKey }, (req, res) => {
    const { method, url: path, headers } = req;
    const onward = requestPlain(new URL(path ?? '/', gateway.url), { method, headers }, (answer) => {
      const hasCookie = headers.cookie?.includes('__Host-pets-session=') === true;
      seen.push({
        asked: `${method ?? ''} ${path ?? ''}`,
        status: answer.statusCode,
        hasCookie,
        origin: headers.origin,
      });
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    req.pipe(onward);
  });
  const attacker = createServer({ cert, key: privateKey }, (_req, res) => {
    res.setHeader('Content-Type', 'text/html');
    res.end('<!doctype html><title>evil</title>');
  });
  servers = [proxy, attacker];
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve));
  evil = `https://localhost:${(attacker.address() as AddressInfo).port}`;
  ({ secret } = await gateway.keyOn('pro', undefined, { name: 'Owner', role: 'owner' }));
  browser = await launchChromium(['--ignore-certificate-errors']);
});
afterEach(async () => {
  await browser.close();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await gateway.close();
});

/** A request of this page: its status and text, or that the browser kept them from it. */
function ask(
  page: Page,
  url: string,
  init: object = {},
): Promise<{ status: number; text: string } | 'kept from it'> {
  return page.evaluate(
    ([url, init]) =>
      fetch(url, init).then(
        async (answer) => ({ status: answer.status, text: await answer.text() }),
        () => 'kept from it' as const,
      ),
    [url, init] as const,
  );
}

const json = { 'content-type': 'application/json' };
const query = JSON.stringify({ query: '{ quota { plan { id } } }' });

test('the dashboard signs in, sends requests and signs out; a page of another port gets nothing with the cookie', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/dashboard`);
  const signedIn = await ask(page, '/dashboard/session', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ apiKey: secret }),
  });
  expect(signedIn).toMatchObject({ status: 201 });
  const [cookie, ...others] = await context.cookies();
  expect(others).toEqual([]);
  expect(cookie).toMatchObject({
    name: '__Host-pets-session',
    path: '/',
    httpOnly: true,
    secure: true,
    sameSite: 'Strict',
  });
  expect(await page.evaluate('document.cookie')).toBe('');
  const who = await ask(page, '/dashboard/session');
  if (who === 'kept from it') throw new Error('our own page cannot ask who is signed in');
  const { csrfToken } = JSON.parse(who.text) as { csrfToken: string };
  const headers = { ...json, 'x-csrf-token': csrfToken };
  const ours = { method: 'POST', headers, body: query };
  expect(await ask(page, '/graphql', ours)).toMatchObject({ status: 200 });
  // In this mode, under a stricter Referrer-Policy, browsers would send an Origin of null.
  expect(await ask(page, '/graphql', { ...ours, mode: 'same-origin' })).toMatchObject({ status: 200 });

  const foreign = await context.newPage();
  await foreign.goto(evil);
  seen = [];
  const credentials = 'include';
  expect(await ask(foreign, `${origin}/dashboard/session`, { credentials })).toBe('kept from it');
  expect(await ask(foreign, `${origin}/graphql`, { ...ours, credentials })).toBe('kept from it');
  const simple = { method: 'POST', mode: 'no-cors', credentials };
  await ask(foreign, `${origin}/graphql`, { ...simple, body: query });
  await ask(foreign, `${origin}/dashboard/session`, { ...simple, body: JSON.stringify({ apiKey: secret }) });
  await foreign.evaluate(`navigator.sendBeacon('${origin}/graphql', '{"query":"{ __typename }"}')`);
  await foreign.setContent(`<form method="post" action="${origin}/graphql"><button>Send</button></form>`);
  await foreign.getByRole('button').click();
  await foreign.waitForURL(`${origin}/graphql`);

  expect(seen.filter(({ asked }) => asked.startsWith('POST'))).toHaveLength(4);
  expect(seen.filter(({ hasCookie }) => hasCookie).map(({ asked }) => asked)).toEqual(
    expect.arrayContaining(['GET /dashboard/session', 'POST /graphql', 'POST /dashboard/session']),
  );
  // The icon of the page that the form led to is asked for by the browser, as by any visitor.
  for (const { asked, status } of seen)
    if (!asked.startsWith('OPTIONS') && asked !== 'GET /favicon.ico')
      expect([asked, status]).toEqual([asked, 403]);

  await foreign.goto(evil);
  await foreign.setContent(`<iframe src="${origin}/dashboard"></iframe>`);
  expect(foreign.frames()[1]?.url()).toMatch(/^chrome-error:/);

  expect(await ask(page, '/dashboard/session', { method: 'DELETE', headers })).toEqual({
    status: 204,
    text: '',
  });
  expect(await context.cookies()).toEqual([]);
});
