import { createHash } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { FileContent } from '../../../../src/features/publishing/deploys/deploy.js';
import { useGateway } from '../../../support/gateway.js';
import { rawDatabase } from '../../../support/raw-database.js';
import { siteOf, tarGzOf } from './archives.js';
import { newShop } from './client.js';

/** A deploy with this message never becomes ready, and no file with this text is ever stored: MongoDB refuses it. */
const REFUSED = 'refused by MongoDB';

const gateway = useGateway({ env: { DEPLOYS_KEPT: '1' } });
let raw: Connection;
beforeAll(async () => {
  raw = await rawDatabase(gateway);
  const refuse = (collMod: string, what: object) =>
    raw
      .getClient()
      .db(gateway.databaseName)
      .command({ collMod, validator: { $nor: [what] } });
  await refuse('deploys', { state: 'ready', message: REFUSED });
  await refuse('deployFiles', { sha256: sha256(REFUSED) });
});
afterAll(() => raw.close());

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

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const page = (name: string) => `<h1>${name}</h1>`;
const files = () => raw.collection('deployFiles');
const countOf = (texts: readonly string[]) =>
  files().countDocuments({ sha256: { $in: texts.map((text) => sha256(text)) } });
const contentOf = (text: string): FileContent[] => [{ path: 'index.html', bytes: Buffer.from(text) }];

describe('an upload that fails', () => {
  test('leaves no file behind, however often', async () => {
    const { fail, deploy, live } = await shop();
    await deploy(await siteOf('before'));
    const names = Array.from({ length: 5 }, (_, i) => `failed ${i}`);
    for (const name of names) expect(await fail(await siteOf(name))).toBe(500);
    // These files are copied within MongoDB.
    expect(await fail(await siteOf('before'))).toBe(500);
    expect([await countOf(names.map(page)), await countOf([page('before')])]).toEqual([0, 1]);
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
      const shared = ['shared.txt', `of both ${i}`] as const;
      const names = [`one ${i}`, `two ${i}`];
      const sent = names.map(async (name) => {
        const archive = await tarGzOf(['index.html', page(name)], shared);
        return (await send(deploy.id, archive)).status;
      });
      const statuses = await Promise.all(sent);
      expect(statuses.toSorted()).toEqual([201, 409]);
      const [winner = ''] = names.filter((_, n) => statuses[n] === 201);
      expect(await live()).toEqual({ 'index.html': page(winner), 'shared.txt': shared[1] });
      expect(await countOf(names.map(page))).toBe(1);
    }
  });

  test('takes the files of another upload of the same deploy with it: that archive can be sent again', async () => {
    const { projectId, create, send, live } = await shop();
    const { deploy } = await create();
    const { deploys } = gateway.services;
    await deploys.storeFiles({ id: deploy.id, projectId }, contentOf(page('waiting')));
    await deploys.discardFiles(deploy.id);
    expect(await countOf([page('waiting')])).toBe(0);
    expect((await send(deploy.id, await siteOf('waiting'))).status).toBe(201);
    await deploys.discardFiles(deploy.id);
    expect(await live()).toEqual({ 'index.html': page('waiting') });
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
      expect(await countOf([`shared ${i}`])).toBe(2);
      for (const { live } of others)
        expect(await live()).toEqual({ 'index.html': page(`many ${i}`), 'a.txt': `shared ${i}` });
    }
  });
});

describe('the files of a deploy that another one replaces', () => {
  test('are removed with it, of the largest deploy too', async () => {
    const { deploy } = await shop();
    const texts = Array.from({ length: 499 }, (_, i) => `one of many, ${i}`);
    await deploy(
      await tarGzOf(['index.html', page('large')], ...texts.map((text, i) => [`${i}.txt`, text] as const)),
    );
    expect(await countOf(texts)).toBe(499);
    await deploy(await siteOf('small'));
    expect(await countOf(texts)).toBe(0);
  });

  test('are removed with their project; what an upload left there expires', async () => {
    const { projectId, deploy, create, send } = await shop();
    for (const name of ['deleted 1', 'deleted 2']) await deploy(await siteOf(name));
    const { deploys, administration, projects, removals } = gateway.services;
    // As a command line that was killed left it: there is no such deploy.
    await deploys.storeFiles({ id: 'dep_killed', projectId }, contentOf(page('deleted 3')));
    const late = await create();
    const { name } = await projects.get(projectId);
    await administration({ role: 'command line' }).deleteProject(projectId, name);
    expect((await send(late.deploy.id, await siteOf('deleted 4'))).status).toBe(401);
    await removals.removeDue();
    expect(await countOf([1, 2, 4].map((n) => page(`deleted ${n}`)))).toBe(0);
    expect(await files().find({ expiresAt: null }).toArray()).not.toContainEqual(
      expect.objectContaining({ deployId: 'dep_killed' }),
    );
  });
});
