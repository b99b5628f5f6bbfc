import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../support/chromium.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { mustRun } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { EXAMPLES, installPackages } from './install-packages.js';

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };

/** The wait is in the message, once. */
const WAIT = /^(?:(?! in \d).)* in \d+ s\.$/;

const folder = useTemporaryFolder();
let gateway: TestGateway;
let browser: Browser;
let servers: Server[];
beforeEach(async () => {
  servers = [];
  [gateway, browser] = await Promise.all([startGateway(), launchChromium()]);
});
afterEach(async () => {
  await browser.close();
  for (const server of servers) server.close();
  await gateway.close();
});

/** Serves the files of the built page. @returns its origin */
async function serve(): Promise<string> {
  const root = folder();
  const server = createServer((req, res) => {
    const path = req.url === '/' ? '/index.html' : (req.url ?? '');
    readFile(join(root, path)).then(
      (content) => res.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'text/plain' }).end(content),
      () => res.writeHead(404).end(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(address: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(address);
  return { page, complaints };
}

test.each(['react-apollo', 'react-urql'])(
  '%s builds, shows the animals page by page in Chromium, and shows errors',
  async (name) => {
    const example = join(EXAMPLES, name);
    await installPackages(example);
    const [origin, otherOrigin] = [await serve(), await serve()];
    const quota = { requestsPerMinute: 2, requestsPerDay: 1000 };
    const { secret } = await gateway.keyOn('enterprise', quota, {
      role: 'browser',
      allowedOrigins: [origin],
    });
    const pets = Array.from({ length: 45 }, (_, i) => ({
      name: `Animal ${i + 1}`,
      categoryId: 1n,
      status: 'available' as const,
    }));
    await gateway.services.petsStore.insertMany(pets);
    await mustRun(
      'npm',
      ['run', 'build', '--', '--outDir', folder(), '--emptyOutDir', '--logLevel', 'warn'],
      {
        cwd: example,
        env: { VITE_API_URL: gateway.url, VITE_API_KEY: secret },
      },
    );

    const { page, complaints } = await open(origin);
    await page.getByText('Animal 20', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('Animal 40', { exact: true }).waitFor();
    expect(await page.getByRole('listitem').allTextContents()).toEqual(
      pets.slice(0, 40).map((pet) => pet.name),
    );
    await page.getByRole('button', { name: 'Show more' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(WAIT);

    // The same page, opened with a key that is used up from the beginning.
    await page.reload();
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(WAIT);
    expect(await page.getByRole('listitem').count()).toBe(0);
    expect(complaints).toEqual([]);

    const elsewhere = await open(otherOrigin);
    await elsewhere.page.getByRole('alert').waitFor();
    expect(await elsewhere.page.getByRole('listitem').count()).toBe(0);
  },
);
