import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { chooseFreePort } from '../support/free-port.js';
import { copy, openDashboard, signIn } from '../support/dashboard.js';
import { launchChromium } from '../support/chromium.js';
import {
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from '../support/domain-gateway.js';

/** What this test asks with the owner's key. */
const PRIMARY = 'query ($id: ID!) { project(id: $id) { primaryDomain redirects { from to status } } }';

/**
 * What section 1.1 of the specification says, as a person does it: in a browser, with a real DNS and a real authority.
 * The operator has listed one operation; the dashboard has its own.
 */
let folder: string;
let world: DomainWorld;
let gateway: DomainGateway;
let httpsPort: number;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-gateway-operations-'));
  const operations = join(folder, 'operations.json');
  await writeFile(operations, JSON.stringify({ primary: PRIMARY }));
  httpsPort = await chooseFreePort();
  [world, browser] = await Promise.all([startDomainWorld(), launchChromium()]);
  gateway = await startDomainGateway(world, {
    env: {
      HTTPS_PORT: String(httpsPort),
      GRAPHQL_OPERATIONS_FILE: operations,
      GRAPHQL_OPERATIONS_REQUIRED: 'all',
    },
  });
  world.answerers.push(gateway.domains);
  await gateway.domains.startJobs();
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
  await world.close();
  await rm(folder, { recursive: true });
});

const DOMAIN = 'shop.happy-tails.test';

test('an owner adds a custom domain to a project, and removes it', async () => {
  const project = await gateway.project('Happy Tails');
  const { secret } = await gateway.services.apiKeys.create({
    name: 'Owner key',
    role: 'owner',
    projectId: project.id,
  });
  const { page, elsewhere, complaints } = await openDashboard(browser, gateway, {});

  await signIn(page, secret);
  await page.getByRole('link', { name: 'Domains', exact: true }).click();
  await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
  await page.getByText('Primary', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByRole('textbox', { name: 'Domain' }).fill(DOMAIN);
  await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click();
  await page.getByText('DNS changes may take up to 48 hours to propagate.').waitFor();

  const record = {
    type: await page.getByRole('cell', { name: 'CNAME', exact: true }).innerText(),
    name: await copy(page, 'CNAME name'),
    value: await copy(page, 'CNAME value'),
    ttl: await copy(page, 'CNAME TTL'),
  };
  expect(record).toEqual({ type: 'CNAME', name: 'shop', value: project.host, ttl: '3600' });
  await world.knot.set(`${record.name}.happy-tails.test`, 'CNAME', `${record.value}.`);

  await page.getByRole('button', { name: `Verify ${DOMAIN}` }).click();
  // Nobody touches the page: it follows by itself.
  await page.getByText('Served over HTTPS.').waitFor();
  expect(await titleOverHttps()).toContain('Happy Tails');

  await choose(page, 'Set as primary');
  await page.getByText(`${DOMAIN} is now the primary domain.`).waitFor();

  await choose(page, 'Redirect to another domain');
  await page.getByRole('dialog').getByRole('button', { name: 'Add redirect' }).click();
  await page.getByText(`${DOMAIN} now redirects to ${project.host}.`).waitFor();
  const answer = await gateway.request('/graphql', {
    method: 'POST',
    key: secret,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ documentId: 'primary', variables: { id: project.id } }),
  });
  expect(await answer.json()).toMatchObject({
    data: {
      project: { primaryDomain: DOMAIN, redirects: [{ from: DOMAIN, to: project.host, status: 301 }] },
    },
  });

  await choose(page, 'Remove');
  await page.getByText('stops serving traffic on it immediately').waitFor();
  await page.getByText(`These redirects are removed too: ${DOMAIN} to ${project.host}.`).waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText(`Removed ${DOMAIN}.`).waitFor();
  await expect(peerCertificates()).rejects.toThrow(/alert|handshake/i);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  expect(await page.getByLabel('API key').inputValue()).toBe('');
  expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
});

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${DOMAIN}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/**
 * What a visitor's browser shows. Node trusts the authority's root and nothing else, and takes the certificate for this
 * name; Chromium has no place for one more root, so the test makes it trust the authority's intermediate certificate.
 */
async function titleOverHttps(): Promise<string> {
  const [, intermediate] = await peerCertificates(await world.pebble.root());
  const spki = createHash('sha256')
    .update(new X509Certificate(intermediate ?? '').publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  const visitor = await launchChromium([
    `--host-resolver-rules=MAP ${DOMAIN}:443 127.0.0.1:${httpsPort}`,
    `--ignore-certificate-errors-spki-list=${spki}`,
  ]);
  try {
    const page = await visitor.newPage();
    await page.goto(`https://${DOMAIN}/`);
    return await page.title();
  } finally {
    await visitor.close();
  }
}

/** The chain for the domain, from the leaf up. Rejects when it is refused, or leads to no root that is trusted. */
function peerCertificates(ca?: string): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: httpsPort, servername: DOMAIN, ...(ca && { ca }) });
    socket.on('error', reject).on('secureConnect', () => {
      const leaf = socket.getPeerCertificate(true);
      resolve([leaf.raw, leaf.issuerCertificate.raw]);
      socket.destroy();
    });
  });
}
