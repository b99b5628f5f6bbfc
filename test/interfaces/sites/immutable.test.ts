import { archiveOf, createStore, publish, startPlatform, visit, type Store } from './visitor.js';
import { useStarted } from '../../support/gateway.js';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'public, max-age=0, must-revalidate';
const SCRIPT = 'assets/app.3f2a9c1b.js';
const OTHER = 'assets/index-BfJ2kq9_.css';

const gateway = useStarted(startPlatform);

const cachingOf = async ({ host }: Store, path: string) =>
  (await visit(gateway, host, `/${path}`)).headers['cache-control'];
const deploy = ({ project }: Store, files: Record<string, string>) =>
  publish(gateway, project.id, { 'index.html': 'x', ...files });

test('a hashed name keeps its content through deploys: immutable in each', async () => {
  const store = await createStore(gateway);
  for (const page of ['1', '2', '3']) {
    await deploy(store, { [SCRIPT]: 'one', [OTHER]: 'h1 {}', 'page.html': page });
    expect(await cachingOf(store, SCRIPT)).toBe(IMMUTABLE);
  }
});

test('a path that had other content in an earlier deploy is not hashed, in any deploy from then on', async () => {
  const store = await createStore(gateway);
  const first = await deploy(store, { [SCRIPT]: 'one', [OTHER]: 'h1 {}' });
  expect(await cachingOf(store, SCRIPT)).toBe(IMMUTABLE);
  await deploy(store, { [SCRIPT]: 'two', [OTHER]: 'h1 {}' });
  expect(await cachingOf(store, SCRIPT)).toBe(REVALIDATE);
  expect(await cachingOf(store, OTHER)).toBe(IMMUTABLE);

  // The same content again, in the earlier deploy too: the path is known to change.
  await deploy(store, { [SCRIPT]: 'two', [OTHER]: 'h1 {}' });
  expect(await cachingOf(store, SCRIPT)).toBe(REVALIDATE);
  await gateway.services.administration({ role: 'command line' }).rollbackDeploy(store.project.id, first.id);
  expect(await cachingOf(store, SCRIPT)).toBe(REVALIDATE);
  expect(await cachingOf(store, OTHER)).toBe(IMMUTABLE);
});

test('a path that changed stays so when the deploys with the other content are removed', async () => {
  const store = await createStore(gateway);
  for (let i = 0; i < 13; i++) await deploy(store, { [SCRIPT]: i < 2 ? `content ${i}` : 'content 1' });
  expect(await cachingOf(store, SCRIPT)).toBe(REVALIDATE);
});

test('a deploy that is uploaded, and not live, counts for the live one', async () => {
  const store = await createStore(gateway);
  const change = gateway.services.administration({ role: 'command line' });
  const older = await change.createDeploy({ projectId: store.project.id });
  await deploy(store, { [SCRIPT]: 'new' });
  expect(await cachingOf(store, SCRIPT)).toBe(IMMUTABLE);
  const uploaded = await change.uploadDeploy(older, archiveOf({ 'index.html': 'x', [SCRIPT]: 'old' }));
  expect(uploaded.notLiveReason).toContain('newer');
  expect(await cachingOf(store, SCRIPT)).toBe(REVALIDATE);
});

test('other projects, and names without a hash, make no difference', async () => {
  const [one, two] = [await createStore(gateway), await createStore(gateway)];
  await deploy(one, { [SCRIPT]: 'one', 'logo.3f2a9c1b.png': 'a' });
  await deploy(two, { [SCRIPT]: 'two' });
  expect(await cachingOf(one, SCRIPT)).toBe(IMMUTABLE);
  expect(await cachingOf(two, SCRIPT)).toBe(IMMUTABLE);
  expect(await cachingOf(one, 'logo.3f2a9c1b.png')).toBe(REVALIDATE);
});
