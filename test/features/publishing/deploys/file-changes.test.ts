import { askGraphQL, dataOf } from '../../../interfaces/graphql/client.js';
import { useGateway } from '../../../support/gateway.js';
import { siteOf, tarGzOf } from './archives.js';
import { newShop } from './client.js';

const gateway = useGateway();

interface Changes {
  added: number;
  changed: number;
  removed: number;
  files: { path: string; change: string }[];
}

test('a deploy has what changed since the one before, and since the live one', async () => {
  const own = await newShop(gateway);
  const first = await own.deploy(await tarGzOf(['index.html', 'one'], ['a.css', 'a'], ['gone.txt', 'x']));
  await own.deploy(await tarGzOf(['index.html', 'two'], ['a.css', 'a'], ['new.txt', 'y']));
  await own.deploy(await tarGzOf(['index.html', 'two'], ['a.css', 'a'], ['new.txt', 'y']));
  const read = async () =>
    (
      await dataOf(
        askGraphQL<{
          project: {
            deploys: { edges: { node: { changes: Changes | null; changesFromLive: Changes | null } }[] };
          };
        }>(
          gateway,
          own.secret,
          `query ($id: ID!) { project(id: $id) { deploys { edges { node {
            changes { ...Changes } changesFromLive { ...Changes }
          } } } } }
          fragment Changes on DeployChanges { added changed removed files { path change } }`,
          { id: own.projectId },
        ),
      )
    ).project.deploys.edges.map(({ node }) => node);

  const none = { added: 0, changed: 0, removed: 0, files: [] };
  const back = {
    added: 1,
    changed: 1,
    removed: 1,
    files: [
      { path: 'gone.txt', change: 'added' },
      { path: 'index.html', change: 'changed' },
      { path: 'new.txt', change: 'removed' },
    ],
  };
  expect(await read()).toEqual([
    { changes: none, changesFromLive: null },
    {
      changes: {
        added: 1,
        changed: 1,
        removed: 1,
        files: [
          { path: 'new.txt', change: 'added' },
          { path: 'index.html', change: 'changed' },
          { path: 'gone.txt', change: 'removed' },
        ],
      },
      changesFromLive: none,
    },
    { changes: null, changesFromLive: back },
  ]);
  await own.rollback(first.id);
  expect((await read()).map(({ changesFromLive }) => changesFromLive?.changed)).toEqual([1, 1, undefined]);
});

test('names at most fifty files, and counts all; a deploy that is not ready has no changes', async () => {
  const own = await newShop(gateway);
  await own.deploy(await siteOf('one'));
  const many = Array.from({ length: 60 }, (_, i) => [`${i}.txt`, String(i)] as const);
  await own.deploy(await tarGzOf(['index.html', '<h1>one</h1>'], ...many));
  await own.create();
  const { project } = await dataOf(
    askGraphQL<{ project: { deploys: { edges: { node: { changes: Changes | null } }[] } } }>(
      gateway,
      own.secret,
      `query ($id: ID!) { project(id: $id) { deploys(first: 2) { edges { node { changes { added changed removed files { path change } } } } } } }`,
      { id: own.projectId },
    ),
  );
  const [waiting, latest] = project.deploys.edges.map(({ node }) => node.changes);
  expect(waiting).toBeNull();
  expect(latest).toMatchObject({ added: 60, changed: 0, removed: 0 });
  expect(latest?.files).toHaveLength(50);
});
