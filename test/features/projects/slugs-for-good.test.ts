import type { Connection } from 'mongoose';
import { askGraphQL, dataOf } from '../../interfaces/graphql/client.js';
import { useGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';

const gateway = useGateway();
let raw: Connection;
let admin: string;
beforeAll(async () => {
  raw = await rawDatabase(gateway);
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' }));
});
afterAll(() => raw.close());

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

const slugsOf = (projectId: string) =>
  raw.collection<{ _id: string; projectId: string }>('slugs').find({ projectId }).toArray();

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
