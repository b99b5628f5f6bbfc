import { createHash } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { SiteFile } from '../../../../src/features/publishing/deploys/deploy.js';
import {
  createDeploysService,
  type DeploysService,
} from '../../../../src/features/publishing/deploys/deploys-service.js';
import { createMongoDeploysStore } from '../../../../src/features/publishing/deploys/mongo-deploys-store.js';
import type { ApiError } from '../../../../src/lib/errors.js';
import { transact } from '../../../../src/platform/mongo/connection.js';
import { startGateway } from '../../../support/gateway.js';
import { rawDatabase } from '../../../support/raw-database.js';
import { siteOf, tarGzOf } from './archives.js';
import { newShop } from './client.js';

const HOUR_MS = 3_600_000;

let gateway: Awaited<ReturnType<typeof startGateway>>;
let aheadMs = 0;
beforeAll(async () => {
  gateway = await startGateway({ clock: () => Date.now() + aheadMs });
});
afterAll(() => gateway.close());

const shop = () => newShop(gateway);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const isStored = async (text: string) =>
  (await gateway.services.deploysStore.blob(sha256(text))) !== undefined;
const page = (name: string) => `<h1>${name}</h1>`;

/** Deploys so many sites, each of one page. */
async function deployMany({ deploy }: Awaited<ReturnType<typeof shop>>, names: readonly string[]) {
  for (const name of names) await deploy(await siteOf(name));
}

test('the last ten deploys are kept; older ones go, and later their files', async () => {
  const own = await shop();
  await deployMany(
    own,
    Array.from({ length: 11 }, (_, i) => `kept ${i + 1}`),
  );
  expect((await own.list()).nodes.map(({ number }) => number)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  // Not at once: a deploy under way may count on them.
  expect(await isStored(page('kept 1'))).toBe(true);

  aheadMs += HOUR_MS + 1;
  await own.deploy(await siteOf('kept 12'));
  expect(await isStored(page('kept 1'))).toBe(false);
  for (const name of ['kept 3', 'kept 12']) expect(await isStored(page(name))).toBe(true);
});

test('a rollback to a deploy that is being removed: the deploy is live or gone, never both', async () => {
  const own = await shop();
  await deployMany(
    own,
    Array.from({ length: 10 }, (_, i) => `first ${i}`),
  );
  const change = gateway.services.administration({ role: 'command line' });
  for (let i = 0; i < 8; i++) {
    const oldest = (await own.list()).nodes.at(-1)?.id ?? '';
    await Promise.all([
      change.rollbackDeploy(own.projectId, oldest).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'not_found' });
      }),
      change.deploySite({ projectId: own.projectId }, [
        { path: 'index.html', bytes: Buffer.from(`race ${i}`) },
      ]),
    ]);
    const { liveDeploy, nodes } = await own.list();
    expect(nodes.filter(({ isLive }) => isLive)).toEqual([liveDeploy]);
    expect(Object.values((await own.live()) ?? {})).not.toContain('no such blob');
  }
});

test('a file that another deploy has too stays, of the same project or of another', async () => {
  const [own, other] = [await shop(), await shop()];
  const shared = ['shared.css', 'shared by two'] as const;
  await other.deploy(await tarGzOf(['index.html', page('other')], shared));
  await own.deploy(await tarGzOf(['index.html', page('own')], shared));
  await deployMany(
    own,
    Array.from({ length: 10 }, (_, i) => `later ${i}`),
  );
  aheadMs += HOUR_MS + 1;
  await own.deploy(await siteOf('last'));
  expect(await isStored(page('own'))).toBe(false);
  expect(await other.live()).toEqual({ 'index.html': page('other'), 'shared.css': 'shared by two' });

  // Still distinct the next time.
  aheadMs += HOUR_MS + 1;
  await own.deploy(await siteOf('last but not least'));
  expect(await isStored('shared by two')).toBe(true);
});

test('a new deploy reuses files that no deploy used', async () => {
  const own = await shop();
  await own.deploy(await siteOf('again'));
  await deployMany(
    own,
    Array.from({ length: 10 }, (_, i) => `between ${i}`),
  );
  aheadMs += HOUR_MS + 1;
  await own.deploy(await siteOf('again'));
  aheadMs += HOUR_MS + 1;
  await gateway.services.deploys.removeUnlistedBlobs();
  expect(await own.live()).toEqual({ 'index.html': page('again') });
});

describe('files that were stored for a deploy, and are removed before it is published', () => {
  let raw: Connection;
  let deploys: DeploysService;
  beforeAll(async () => {
    raw = await rawDatabase(gateway);
    const store = createMongoDeploysStore(raw, { kept: 10 }, () => Date.now() + aheadMs);
    deploys = createDeploysService(store, () => Promise.resolve([]), Date.now);
  });
  afterAll(() => raw.close());
  const publish = (id: string, files: readonly SiteFile[]) =>
    transact(raw, () => deploys.publish(id, files)).then(
      () => 'published',
      (error: unknown) => (error as ApiError).code,
    );

  test('its publication fails and changes nothing; the archive can be sent again', async () => {
    const own = await shop();
    const live = await own.deploy(await siteOf('live'));
    const { deploy } = await own.create();
    const { files } = await deploys.keep(own.projectId, [
      { path: 'index.html', bytes: Buffer.from(page('stalled')) },
    ]);
    expect(await isStored(page('stalled'))).toBe(true);
    aheadMs += HOUR_MS - 60_000;
    await deploys.removeUnlistedBlobs();
    expect(await isStored(page('stalled'))).toBe(true);
    aheadMs += 60_001;
    await deploys.removeUnlistedBlobs();
    expect(await isStored(page('stalled'))).toBe(false);

    expect(await publish(deploy.id, files)).toBe('service_unavailable');
    expect(await own.list()).toMatchObject({
      liveDeploy: { id: live.id },
      nodes: [{ id: deploy.id, problem: null, fileCount: null }, { id: live.id }],
    });
    const again = await own.create();
    expect((await own.send(again.deploy.id, await siteOf('stalled'))).status).toBe(201);
    expect(await own.live()).toEqual({ 'index.html': page('stalled') });
  });

  test('in the same moment: one of the two wins, and no deploy lists what is gone', async () => {
    const own = await shop();
    for (let i = 0; i < 10; i++) {
      const { deploy } = await own.create();
      const { files } = await deploys.keep(own.projectId, [
        { path: 'index.html', bytes: Buffer.from(page(`race ${i}`)) },
      ]);
      aheadMs += HOUR_MS + 1;
      const [published] = await Promise.all([publish(deploy.id, files), deploys.removeUnlistedBlobs()]);
      const kept = await isStored(page(`race ${i}`));
      expect([published, kept]).toEqual(kept ? ['published', true] : ['service_unavailable', false]);
    }
  });
});

test('stores text files as gzip too, and other files not', async () => {
  const own = await shop();
  const css = 'h1 { color: teal }\n'.repeat(100);
  await own.deploy(await tarGzOf(['index.html', page('x')], ['a.css', css], ['a.png', css.toUpperCase()]));
  const { deploysStore } = gateway.services;
  const [text, image, short] = await Promise.all(
    [css, css.toUpperCase(), page('x')].map((bytes) => deploysStore.blob(sha256(bytes))),
  );
  expect(text?.gzip?.length).toBeLessThan(css.length / 10);
  expect(text?.bytes.toString()).toBe(css);
  expect(image).toEqual({ sha256: sha256(css.toUpperCase()), bytes: Buffer.from(css.toUpperCase()) });
  expect(short).not.toHaveProperty('gzip');
});

test('each file has the media type of its name', async () => {
  const own = await shop();
  const names = [
    'a.css',
    'a.js',
    'a.json',
    'a.svg',
    'a.PNG',
    'a.woff2',
    'a.webmanifest',
    'a.unknown',
    'LICENSE',
  ];
  await own.deploy(await tarGzOf(['index.html', ''], ...names.map((name) => [name, 'x'] as const)));
  const site = await gateway.services.deploysStore.liveSite(own.projectId);
  expect(Object.fromEntries(site?.files.map(({ path, contentType }) => [path, contentType]) ?? [])).toEqual({
    'index.html': 'text/html; charset=utf-8',
    'a.css': 'text/css; charset=utf-8',
    'a.js': 'text/javascript; charset=utf-8',
    'a.json': 'application/json; charset=utf-8',
    'a.svg': 'image/svg+xml',
    'a.PNG': 'image/png',
    'a.woff2': 'font/woff2',
    'a.webmanifest': 'application/manifest+json; charset=utf-8',
    'a.unknown': 'application/octet-stream',
    LICENSE: 'application/octet-stream',
  });
});

test('keeps ten failed deploys', async () => {
  const own = await shop();
  for (let i = 0; i < 12; i++) await own.create();
  aheadMs += HOUR_MS + 1;
  await own.deploy(await siteOf('x'));
  const { nodes } = await own.list();
  expect(nodes.map(({ number, state }) => `${number} ${state}`)).toEqual([
    '13 ready',
    ...Array.from({ length: 10 }, (_, i) => `${12 - i} expired`),
  ]);
});

test('100 deploys can fail in an hour; the next one is rejected, and later they are removed', async () => {
  const own = await shop();
  for (let i = 0; i < 100; i++) await own.create();
  await expect(own.create()).rejects.toThrow(/did not go live/);
  const [newest] = (await own.list(1)).nodes;
  expect(newest?.number).toBe(100);

  aheadMs += HOUR_MS + 1;
  await own.create();
  const { nodes } = await own.list(100);
  expect(nodes.map(({ state }) => state)).toEqual(['awaiting_upload', ...Array<string>(10).fill('expired')]);
});
