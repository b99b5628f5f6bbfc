import { createHash } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { FileContent } from '../../../../src/features/publishing/deploys/deploy.js';
import { expectError } from '../../../support/expect-answer.js';
import { startGateway } from '../../../support/gateway.js';
import { rawDatabase } from '../../../support/raw-database.js';
import { siteOf, tarGzOf } from './archives.js';
import { newShop } from './client.js';

/** What is stored of a project's files that no deploy lists: it is little, and does not stay. */
const HOUR_MS = 3_600_000;
const BUDGET_BYTES = 256 * 1024 ** 2;
/** A deploy with this message never becomes ready, and no file with this text is ever stored: MongoDB refuses it. */
const REFUSED = 'refused by MongoDB';

let gateway: Awaited<ReturnType<typeof startGateway>>;
let raw: Connection;
let aheadMs = 0;
beforeAll(async () => {
  gateway = await startGateway({ clock: () => Date.now() + aheadMs, env: { DEPLOYS_KEPT: '1' } });
  raw = await rawDatabase(gateway);
  const refuse = (collMod: string, what: object) =>
    raw
      .getClient()
      .db(gateway.databaseName)
      .command({ collMod, validator: { $nor: [what] } });
  await refuse('deploys', { state: 'ready', message: REFUSED });
  await refuse('siteBlobs', { _id: sha256(REFUSED) });
});
afterAll(async () => {
  await raw.close();
  await gateway.close();
});

async function shop() {
  const client = await newShop(gateway);
  return {
    ...client,
    /** The status of an upload that MongoDB does not let become ready. */
    fail: async (archive: Buffer): Promise<number> => {
      const { deploy } = await client.create({ message: REFUSED });
      return (await client.send(deploy.id, archive)).status;
    },
  };
}

interface StoredBlob {
  _id: string;
  sizeBytes?: number;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const page = (name: string) => `<h1>${name}</h1>`;
const blobs = () => raw.collection<StoredBlob>('siteBlobs');
const countOf = (texts: readonly string[]) =>
  blobs().countDocuments({ _id: { $in: texts.map((text) => sha256(text)) } });
const contentOf = (text: string): FileContent[] => [{ path: 'index.html', bytes: Buffer.from(text) }];

describe('an upload that fails', () => {
  test('leaves no file behind, however often', async () => {
    const { fail, deploy, live } = await shop();
    await deploy(await siteOf('before'));
    const names = Array.from({ length: 5 }, (_, i) => `failed ${i}`);
    for (const name of names) expect(await fail(await siteOf(name))).toBe(500);
    expect(await countOf(names.map(page))).toBe(0);
    expect(await live()).toEqual({ 'index.html': page('before') });

    await deploy(await siteOf('failed 1'));
    expect(await live()).toEqual({ 'index.html': page('failed 1') });
  });

  test('while its files are stored, leaves none of them', async () => {
    const { create, send, list } = await shop();
    const { deploy } = await create();
    const archive = await tarGzOf(['index.html', 'half 1'], ['a.txt', REFUSED], ['b.txt', 'half 2']);
    expect((await send(deploy.id, archive)).status).toBe(500);
    expect(await countOf(['half 1', 'half 2'])).toBe(0);
    expect((await list()).nodes).toMatchObject([{ id: deploy.id, state: 'awaiting_upload' }]);
    expect((await send(deploy.id, await siteOf('whole'))).status).toBe(201);
  });

  test('because another one of the same deploy was faster, leaves no file', async () => {
    const { create, send, live } = await shop();
    for (let i = 0; i < 5; i++) {
      const { deploy } = await create();
      const names = [`one ${i}`, `two ${i}`];
      const sent = names.map(async (name) => (await send(deploy.id, await siteOf(name))).status);
      const statuses = await Promise.all(sent);
      expect(statuses.toSorted()).toEqual([201, 409]);
      const [winner = ''] = names.filter((_, n) => statuses[n] === 201);
      expect(await live()).toEqual({ 'index.html': page(winner) });
      expect(await countOf(names.map(page))).toBe(1);
    }
  });

  test('removes no file that another deploy uses', async () => {
    const [own, other] = [await shop(), await shop()];
    await own.deploy(await siteOf('listed'));
    for (const { fail } of [own, other]) expect(await fail(await siteOf('listed'))).toBe(500);
    expect(await own.live()).toEqual({ 'index.html': page('listed') });
  });

  test('removes no file that another upload found stored', async () => {
    const [first, second] = [await shop(), await shop()];
    const { deploys, administration } = gateway.services;
    const failing = await deploys.keep(first.projectId, contentOf('relied on'));
    const relying = await deploys.keep(second.projectId, contentOf('relied on'));
    await deploys.discard(failing);
    expect(await countOf(['relied on'])).toBe(1);
    await deploys.discard(relying);
    expect(await countOf(['relied on'])).toBe(1);
    const change = administration({ role: 'command line' });
    await change.deploySite({ projectId: second.projectId }, contentOf('relied on'));
    expect(await second.live()).toEqual({ 'index.html': 'relied on' });
  });

  test('at the same time as others of the same files: those go live with all of them', async () => {
    const shops = await Promise.all(Array.from({ length: 4 }, () => shop()));
    for (let i = 0; i < 8; i++) {
      const archive = await tarGzOf(['index.html', page(`many ${i}`)], ['a.txt', `shared ${i}`]);
      const failing = shops.filter((_, n) => n % 2 === i % 2);
      const others = shops.filter((_, n) => n % 2 !== i % 2);
      const [statuses] = await Promise.all([
        Promise.all(failing.map(({ fail }) => fail(archive))),
        Promise.all(others.map(({ deploy }) => deploy(archive))),
      ]);
      expect(statuses).toEqual([500, 500]);
      for (const { live } of others)
        expect(await live()).toEqual({ 'index.html': page(`many ${i}`), 'a.txt': `shared ${i}` });
    }
  });
});

describe('files that no deploy uses', () => {
  /** Sets the recorded size of the file with this text. */
  const resize = (text: string, sizeBytes: number) =>
    blobs().updateOne({ _id: sha256(text) }, { $set: { sizeBytes } });

  test('count at least 4 KiB each, and their compressed copies with them', async () => {
    const { projectId, deploy } = await shop();
    const css = 'h1 { color: teal }\n'.repeat(1000);
    await deploy(await tarGzOf(['index.html', page('counted')], ['a.css', css]));
    const { deploysStore } = gateway.services;
    expect(await deploysStore.unlistedBlobs(projectId)).toEqual({ bytes: 0 });
    await deploy(await siteOf('uncounted'));
    const { gzip, brotli } = (await deploysStore.blob(sha256(css))) ?? {};
    const { bytes } = await deploysStore.unlistedBlobs(projectId);
    expect(bytes).toBe(4096 + css.length + (gzip?.length ?? NaN) + (brotli?.length ?? NaN));
  });

  test('are 256 MiB at the most: one upload more is 429 until they are removed, in that project alone', async () => {
    const [own, other] = [await shop(), await shop()];
    await own.deploy(await siteOf('first'));
    await own.deploy(await siteOf('second'));
    await resize(page('first'), BUDGET_BYTES - 4096);
    // As an earlier version has stored it.
    await blobs().updateOne({ _id: sha256(page('second')) }, { $unset: { sizeBytes: 1 } });
    await own.deploy(await siteOf('third'));

    const { deploy } = await own.create();
    const refused = await own.send(deploy.id, await siteOf('fourth'));
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(3000);
    expect(retryAfter).toBeLessThanOrEqual(3600);
    expect(await refused.clone().json()).toMatchObject({
      details: { window: 'unused_files', limit: BUDGET_BYTES, cost: 4096 },
    });
    await expectError(refused, 429, 'rate_limit_exceeded');
    expect(await countOf([page('fourth')])).toBe(0);
    expect((await own.list(1)).nodes).toMatchObject([{ id: deploy.id, state: 'awaiting_upload' }]);
    expect(await own.live()).toEqual({ 'index.html': page('third') });
    await other.deploy(await siteOf('of another project'));
    // What is stored already takes nothing.
    await own.deploy(await siteOf('third'));

    aheadMs += HOUR_MS + 1;
    await own.deploy(await siteOf('fourth'));
    expect(await countOf(['first', 'second', 'fourth'].map(page))).toBe(1);
  });

  test('are removed with their project, and reveal nothing of it before', async () => {
    const { projectId, deploy, create, send } = await shop();
    for (const name of ['deleted 1', 'deleted 2']) await deploy(await siteOf(name));
    const { deploys, administration, projects, removals } = gateway.services;
    await deploys.keep(projectId, contentOf(page('deleted 3')));
    expect(await blobs().countDocuments({ projectId })).toBe(2);
    const late = await create();
    const { name } = await projects.get(projectId);
    await administration({ role: 'command line' }).deleteProject(projectId, name);
    expect((await send(late.deploy.id, await siteOf('deleted 4'))).status).toBe(401);
    await removals.removeDue();
    expect(await blobs().countDocuments({ projectId })).toBe(0);

    aheadMs += HOUR_MS + 1;
    await deploys.removeUnlistedBlobs();
    expect(await countOf([1, 2, 3, 4].map((n) => page(`deleted ${n}`)))).toBe(0);
  });

  test('do not count while another deploy of the project lists them', async () => {
    const { deploy } = await shop();
    const shared = ['shared.css', 'of every deploy'] as const;
    await deploy(await tarGzOf(['index.html', page('a')], shared));
    await resize(shared[1], BUDGET_BYTES);
    for (const name of ['b', 'c']) {
      const archive = await tarGzOf(['index.html', page(name)], shared);
      await expect(deploy(archive)).resolves.toBeDefined();
    }
  });

  test('of the largest deploy are removed with the next one, once an hour has passed', async () => {
    const { deploy } = await shop();
    const texts = Array.from({ length: 499 }, (_, i) => `one of many, ${i}`);
    await deploy(
      await tarGzOf(['index.html', page('large')], ...texts.map((text, i) => [`${i}.txt`, text] as const)),
    );
    await deploy(await siteOf('small'));
    expect(await countOf(texts)).toBe(499);
    aheadMs += HOUR_MS + 1;
    await deploy(await siteOf('smaller'));
    expect(await countOf(texts)).toBe(0);
  });
});
