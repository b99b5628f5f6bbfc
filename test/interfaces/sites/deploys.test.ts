import { startGateway, useStarted } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { until } from '../../support/until.js';
import { createStore, PLATFORM_HOST, publish, startPlatform, visit } from './visitor.js';

const gateway = useStarted(startPlatform);

const text = async (host: string, path = '/', at: { url: string } = gateway) =>
  (await visit(at, host, path)).text;
const change = () => gateway.services.administration({ role: 'command line' });

test('the request after a deploy, and after going back, sees it: all of it and nothing of another', async () => {
  const { project, host } = await createStore(gateway);
  const first = await publish(gateway, project.id, { 'index.html': 'one', 'old.html': 'old' });
  expect([await text(host), await text(host, '/old')]).toEqual(['one', 'old']);
  await publish(gateway, project.id, { 'index.html': 'two' });
  expect([await text(host), (await visit(gateway, host, '/old')).status]).toEqual(['two', 404]);
  await change().rollbackDeploy(project.id, first.id);
  expect([await text(host), await text(host, '/old')]).toEqual(['one', 'old']);
});

test('a failed deploy changes nothing for visitors', async () => {
  const { project, host } = await createStore(gateway);
  await publish(gateway, project.id, { 'index.html': 'good' });
  await expect(publish(gateway, project.id, { 'page.html': 'no index' })).rejects.toThrow('index.html');
  expect(await text(host)).toBe('good');
});

test('while deploys follow each other every answer is of one of them, and never older than the one before it', async () => {
  const { project, host } = await createStore(gateway);
  const page = (n: number) => ({ 'index.html': `page ${n}`, '404.html': `nothing ${n}` });
  await publish(gateway, project.id, page(0));
  let published = 0;
  let isOver = false;
  const visitor = async () => {
    while (!isOver) {
      const atLeast = published;
      const [, n] = /^page (\d+)$/.exec(await text(host)) ?? [];
      expect(Number(n)).toBeGreaterThanOrEqual(atLeast);
    }
  };
  const visitors = Promise.all(Array.from({ length: 4 }, visitor));
  for (let n = 1; n <= 8; n++) {
    await publish(gateway, project.id, page(n));
    published = n;
  }
  isOver = true;
  await visitors;
});

test('another node sees a deploy that was made here', async () => {
  const other = await startGateway({
    env: { PUBLIC_URL: 'http://127.0.0.1', PLATFORM_HOST, KEY_CACHE_TTL_SECONDS: '3600' },
    beside: gateway,
  });
  try {
    const { project, host } = await createStore(gateway);
    await publish(gateway, project.id, { 'index.html': 'one' });
    await until('the first deploy', async () => (await text(host, '/', other)) === 'one');
    await publish(gateway, project.id, { 'index.html': 'two' });
    await until('the second deploy', async () => (await text(host, '/', other)) === 'two');
  } finally {
    await other.close();
  }
});

test('what a node remembers of a deploy that is no longer kept is looked up again', async () => {
  const { project, host } = await createStore(gateway);
  const kept = await publish(gateway, project.id, {
    'index.html': 'kept',
    'page.html': 'page of the kept one',
  });
  const removed = await publish(gateway, project.id, {
    'index.html': 'removed',
    'page.html': 'page of the removed one',
  });
  expect(await text(host)).toBe('removed');
  // As nobody does it: without raising the revision that watchers look at.
  const database = await rawDatabase(gateway);
  const collection = (name: string) => database.collection<{ _id: string }>(name);
  await collection('projects').updateOne({ _id: project.id }, { $set: { liveDeployId: kept.id } });
  const { deletedCount } = await collection('deployFiles').deleteMany({ deployId: removed.id });
  await database.close();
  expect(deletedCount).toBe(2);
  expect(await text(host, '/page')).toBe('page of the kept one');
});

test('many visitors at once get a large file whole', async () => {
  const { project, host } = await createStore(gateway);
  const large = Buffer.alloc(3_000_000, 'x');
  await publish(gateway, project.id, { 'index.html': 'i', 'large.bin': large });
  const answers = await Promise.all(Array.from({ length: 10 }, () => visit(gateway, host, '/large.bin')));
  expect(answers.every(({ status, bytes }) => status === 200 && bytes.equals(large))).toBe(true);
});

test('what visitors read costs the project nothing', async () => {
  const { project, host, key } = await createStore(gateway, { requestsPerMinute: 5, requestsPerDay: 10 });
  await publish(gateway, project.id, { 'index.html': 'free' });
  for (let i = 0; i < 20; i++) expect(await text(host)).toBe('free');
  const { windows } = await gateway.services.keyQuotas.of(key);
  expect(windows.map(({ used }) => used)).toEqual([0, 0]);
});
