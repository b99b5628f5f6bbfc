import { createHash } from 'node:crypto';
import type { Connection } from 'mongoose';
import { UPLOAD_SECONDS, type SiteFile } from '../../../../src/features/publishing/deploys/deploy.js';
import {
  createDeploysService,
  type DeploysService,
} from '../../../../src/features/publishing/deploys/deploys-service.js';
import { createMongoDeploysStore } from '../../../../src/features/publishing/deploys/mongo-deploys-store.js';
import type { ApiError } from '../../../../src/lib/errors.js';
import { transact } from '../../../../src/platform/mongo/connection.js';
import { daysKept } from '../../../platform/mongo/days-kept.js';
import { startGateway, useGateway } from '../../../support/gateway.js';
import { rawDatabase } from '../../../support/raw-database.js';
import { siteOf, tarGzOf } from './archives.js';
import { newShop } from './client.js';

const HOUR_MS = 3_600_000;

interface StoredFile {
  deployId: string;
  sha256: string;
  gzip?: Buffer;
  expiresAt?: Date;
}

let raw: Connection;
let aheadMs = 0;
const gateway = useGateway({ clock: () => Date.now() + aheadMs });
beforeAll(async () => {
  raw = await rawDatabase(gateway);
});
afterAll(() => raw.close());

const shop = () => newShop(gateway);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const stored = () => raw.collection<StoredFile>('deployFiles');
const isStored = async (text: string) => (await stored().countDocuments({ sha256: sha256(text) })) > 0;
const page = (name: string) => `<h1>${name}</h1>`;

/** Deploys so many sites, each of one page. */
async function deployMany({ deploy }: Awaited<ReturnType<typeof shop>>, names: readonly string[]) {
  for (const name of names) await deploy(await siteOf(name));
}

test('the last ten deploys are kept; older ones go, and their files with them', async () => {
  const own = await shop();
  await deployMany(
    own,
    Array.from({ length: 11 }, (_, i) => `kept ${i + 1}`),
  );
  expect((await own.list()).nodes.map(({ number }) => number)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  expect(await isStored(page('kept 1'))).toBe(false);
  for (const name of ['kept 2', 'kept 11']) expect(await isStored(page(name))).toBe(true);
});

test('a lower DEPLOYS_KEPT removes two deploys with each further one, never the live one; a rollback removes none', async () => {
  const own = await shop();
  await deployMany(
    own,
    Array.from({ length: 10 }, (_, i) => `before ${i}`),
  );
  const [, ninth] = (await own.list()).nodes;
  const other = await startGateway({ beside: gateway, env: { DEPLOYS_KEPT: '1' } });
  try {
    const change = other.services.administration({ role: 'command line' });
    await change.rollbackDeploy(own.projectId, ninth?.id ?? '');
    const kept = [];
    for (let i = 0; i < 5; i++) {
      const { nodes } = await own.list();
      kept.push(nodes.filter(({ state }) => state === 'ready').map(({ number }) => number));
      await change.createDeploy({ projectId: own.projectId });
    }
    expect(kept).toEqual([
      [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
      [10, 9, 6, 5, 4, 3, 2, 1],
      [10, 9, 4, 3, 2, 1],
      [10, 9, 2, 1],
      [10, 9],
    ]);
  } finally {
    await other.close();
  }
});

test('the upload of an older deploy than those that are kept is not removed with it', async () => {
  const own = await shop();
  const { deploy: first } = await own.create();
  await deployMany(
    own,
    Array.from({ length: 10 }, (_, i) => `later ${i}`),
  );
  const late = await own.send(first.id, await siteOf('tardy'));
  expect([late.status, await late.json()]).toEqual([201, expect.objectContaining({ isLive: false })]);
  await own.rollback(first.id);
  expect(await own.live()).toEqual({ 'index.html': page('tardy') });
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
  await own.deploy(await tarGzOf(['index.html', page('second')], shared));
  await deployMany(
    own,
    Array.from({ length: 9 }, (_, i) => `later ${i}`),
  );
  expect(await isStored(page('own'))).toBe(false);
  const second = (await own.list()).nodes.at(-1);
  await own.rollback(second?.id ?? '');
  expect(await own.live()).toEqual({ 'index.html': page('second'), 'shared.css': 'shared by two' });
  expect(await other.live()).toEqual({ 'index.html': page('other'), 'shared.css': 'shared by two' });
});

test("compressed copies of an unchanged file come from the project's newest deploy; another project makes its own", async () => {
  const css = 'h1 { color: teal }\n'.repeat(100);
  const site = (name: string) => tarGzOf(['index.html', page(name)], ['a.css', css], ['b.css', css]);
  const copyOf = async ({ id }: { id: string }) =>
    (await stored().findOne({ deployId: id, sha256: sha256(css) }))?.gzip;
  const [own, other] = [await shop(), await shop()];
  const first = await own.deploy(await site('first'));
  const recognizable = Buffer.from('compressed once');
  await stored().updateOne({ deployId: first.id, sha256: sha256(css) }, { $set: { gzip: recognizable } });

  const second = await own.deploy(await site('second'));
  expect(await copyOf(second)).toEqual(await copyOf(first));
  expect(await own.live()).toEqual({ 'index.html': page('second'), 'a.css': css, 'b.css': css });
  expect(await copyOf(await other.deploy(await site('first')))).not.toEqual(await copyOf(first));

  await own.deploy(await siteOf('without it'));
  expect(await copyOf(await own.deploy(await site('again')))).not.toEqual(await copyOf(first));
});

describe('files that were stored for a deploy', () => {
  let deploys: DeploysService;
  beforeAll(() => {
    const store = createMongoDeploysStore(raw, { kept: 10 }, () => Date.now() + aheadMs);
    deploys = createDeploysService(store, () => Promise.resolve([]), Date.now);
  });
  const publish = (id: string, files: readonly SiteFile[]) =>
    transact(raw, () => deploys.publish(id, files)).then(
      () => 'published',
      (error: unknown) => (error as ApiError).code,
    );
  const store = async ({ projectId, create }: Awaited<ReturnType<typeof shop>>, text: string) => {
    const { deploy } = await create();
    const content = { path: 'index.html', bytes: Buffer.from(text) };
    return { id: deploy.id, files: await deploys.storeFiles({ id: deploy.id, projectId }, [content]) };
  };
  /** As MongoDB removes what has expired. */
  const expire = (deployId: string) => stored().deleteMany({ deployId, expiresAt: { $exists: true } });

  test('expire later than the deploy can await its upload, until it is ready', async () => {
    const own = await shop();
    expect(await daysKept(raw, 'deployFiles')).toEqual([['expiresAt', 0]]);
    const { id, files } = await store(own, page('waiting'));
    const [waiting] = await stored().find({ deployId: id }).toArray();
    const leftMs = (waiting?.expiresAt?.getTime() ?? 0) - Date.now() - aheadMs;
    expect(leftMs).toBeGreaterThan(UPLOAD_SECONDS * 1000 + 60_000);
    expect(leftMs).toBeLessThanOrEqual(2 * HOUR_MS);

    expect(await publish(id, files)).toBe('published');
    expect(await stored().countDocuments({ deployId: id, expiresAt: { $exists: true } })).toBe(0);
    // Another upload of the same deploy, which the deploy does not list.
    await deploys.storeFiles({ id, projectId: own.projectId }, [
      { path: 'index.html', bytes: Buffer.from(page('waiting')) },
      { path: 'late.html', bytes: Buffer.from(page('late')) },
    ]);
    await expire(id);
    expect(await isStored(page('late'))).toBe(false);
    expect(await own.live()).toEqual({ 'index.html': page('waiting') });
  });

  test('and have expired: the publication fails and changes nothing; the archive can be sent again', async () => {
    const own = await shop();
    const live = await own.deploy(await siteOf('live'));
    const { id, files } = await store(own, page('stalled'));
    await expire(id);
    expect(await publish(id, files)).toBe('service_unavailable');
    expect(await own.list()).toMatchObject({
      liveDeploy: { id: live.id },
      nodes: [{ id, problem: null, fileCount: null }, { id: live.id }],
    });
    expect((await own.send(id, await siteOf('stalled'))).status).toBe(201);
    expect(await own.live()).toEqual({ 'index.html': page('stalled') });
  });

  test('and expire at the moment of the publication: one of the two wins, and no deploy lists what is gone', async () => {
    const own = await shop();
    for (let i = 0; i < 20; i++) {
      const { id, files } = await store(own, page(`race ${i}`));
      const [published] = await Promise.all([publish(id, files), expire(id)]);
      const kept = await isStored(page(`race ${i}`));
      expect([published, kept]).toEqual(kept ? ['published', true] : ['service_unavailable', false]);
    }
  });
});

test('stores text files as gzip too, and other files not', async () => {
  const own = await shop();
  const css = 'h1 { color: teal }\n'.repeat(100);
  const { id } = await own.deploy(
    await tarGzOf(['index.html', page('x')], ['a.css', css], ['a.png', css.toUpperCase()]),
  );
  const { deploysStore } = gateway.services;
  const [text, image, short] = await Promise.all(
    [css, css.toUpperCase(), page('x')].map((bytes) => deploysStore.blob(id, sha256(bytes))),
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
