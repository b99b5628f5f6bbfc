import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { giveSlugs } from '../../../src/app/migrations/give-slugs.js';
import { askGraphQL, dataOf } from '../../interfaces/graphql/client.js';
import { startGateway } from '../../support/gateway.js';
import { prepared } from '../../support/prepared.js';
import { rawDatabase } from '../../support/raw-database.js';

let gateway: Awaited<ReturnType<typeof startGateway>>;
let raw: Connection;
let admin: string;
beforeAll(async () => {
  gateway = await startGateway();
  raw = await rawDatabase(gateway);
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' }));
});
afterAll(async () => {
  await raw.close();
  await gateway.close();
});

async function create(name: string): Promise<{ id: string; slug: string }> {
  const { createProject } = await dataOf(
    askGraphQL<{ createProject: { project: { id: string; slug: string } } }>(
      gateway,
      admin,
      'mutation ($name: String!) { createProject(input: { name: $name }) { project { id slug } } }',
      { name },
    ),
  );
  return createProject.project;
}

const slugsOf = (projectId: string, database = raw) =>
  database.collection<{ _id: string; projectId: string }>('slugs').find({ projectId }).toArray();

test('a project gets the slug of its name, the next one of that name another', async () => {
  const [first, second] = [await create('Cat café'), await create('Cat café')];
  expect(first.slug).toBe('cat-cafe');
  expect(second.slug).toMatch(/^cat-cafe-[a-z0-9]{5}$/);
  expect(await slugsOf(first.id)).toMatchObject([{ _id: 'cat-cafe' }]);
  expect(await gateway.services.projects.getBySlug('cat-cafe')).toMatchObject({ id: first.id });
});

test('many of one name at once get one each', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => create('Rush')));
  expect(new Set(made.map(({ slug }) => slug)).size).toBe(8);
  expect(made.filter(({ slug }) => slug === 'rush')).toHaveLength(1);
});

test('a slug is never reused, even after its project is deleted', async () => {
  const { id } = await create('Gone');
  await raw.collection<{ _id: string }>('projects').deleteOne({ _id: id });
  expect((await create('Gone')).slug).not.toBe('gone');
});

test('projects from before slugs get theirs at the first start, one each, however many nodes start at once', async () => {
  const older = { databaseName: `test-${randomUUID()}` };
  const raw = await rawDatabase(older);
  const ids = Array.from({ length: 5 }, (_, i) => `proj_old${i}`);
  await raw
    .collection<{ _id: string }>('projects')
    .insertMany(
      ids.map((_id) => ({ _id, name: 'Old timer', plan: 'free', createdAt: new Date(), revision: 0 })),
    );
  // As a node has left it that was killed between the two.
  const claimed = { _id: 'old-timer', projectId: 'proj_old3', givenAt: new Date() };
  await raw.collection<{ _id: string }>('slugs').insertOne(claimed);
  const nodes = await Promise.all([startGateway({ beside: older }), startGateway({ beside: older })]);

  const projects = await nodes[0].services.projects.getMany(ids);
  expect(new Set(projects.map(({ slug }) => slug)).size).toBe(5);
  for (const { id, slug } of projects) expect(await slugsOf(id, raw)).toMatchObject([{ _id: slug }]);
  expect(projects).toContainEqual(expect.objectContaining({ id: 'proj_old3', slug: 'old-timer' }));
  for (const node of nodes) await node.close();
  await raw.dropDatabase();
  await raw.close();
});

test('assigns slugs in batches: a gateway that lost its lease stops after its batch, and the next one continues', async () => {
  const raw = await prepared(await rawDatabase({ databaseName: `test-${randomUUID()}` }));
  const projects = raw.collection<{ _id: string }>('projects');
  await projects.insertMany(Array.from({ length: 51 }, (_, i) => ({ _id: `proj_${i}`, name: `Old ${i}` })));
  const lease = new AbortController();
  const running = giveSlugs.run(raw, lease.signal);
  lease.abort();
  await expect(running).rejects.toBe(lease.signal.reason);
  expect(await projects.countDocuments({ slug: null })).toBe(1);
  await giveSlugs.run(raw, new AbortController().signal);
  expect(await projects.countDocuments({ slug: null })).toBe(0);
  await raw.dropDatabase();
  await raw.close();
});
