import { expectError } from '../../../support/expect-answer.js';
import { useGateway } from '../../../support/gateway.js';
import { AMPLE } from '../../../support/rest-client.js';
import { askGraphQL, codesOf } from '../../../interfaces/graphql/client.js';
import { siteOf, tarGzOf } from './archives.js';
import { deployClient, newShop } from './client.js';

const gateway = useGateway();

const shop = () => newShop(gateway);

test('a deploy awaits its archive, goes live with it, and is listed', async () => {
  const { create, send, list, live, keyId } = await shop();
  expect(await list()).toMatchObject({ liveDeploy: null, nodes: [] });

  const { deploy, upload } = await create({ message: 'First' });
  expect(deploy).toMatchObject({
    number: 1,
    state: 'awaiting_upload',
    createdByKeyId: keyId,
    createdByRole: 'owner',
    message: 'First',
    fileCount: null,
    isLive: false,
  });
  expect(upload).toMatchObject({
    method: 'PUT',
    url: `/deploys/${deploy.id}/archive`,
    headers: [{ name: 'Content-Type', value: 'application/gzip' }],
  });
  expect(Date.parse(upload?.expiresAt ?? '')).toBeGreaterThan(Date.now());
  expect(await live()).toBeUndefined();

  const answer = await send(
    deploy.id,
    await tarGzOf(['index.html', '<h1>Hi</h1>'], ['css/shop.css', 'h1 { color: teal }']),
  );
  expect(answer.status).toBe(201);
  expect(answer.headers.get('x-ratelimit-limit')).toBe(String(AMPLE.requestsPerMinute));
  const ready = { id: deploy.id, number: 1, state: 'ready', fileCount: 2, sizeBytes: 29, isLive: true };
  expect(await answer.json()).toMatchObject(ready);
  expect(await list()).toMatchObject({ liveDeploy: ready, nodes: [ready] });
  expect(await live()).toEqual({ 'index.html': '<h1>Hi</h1>', 'css/shop.css': 'h1 { color: teal }' });
});

test.each([
  ['a single-page application if it was created so', { spa: true }, true],
  ['no single-page application otherwise', {}, false],
])('a deploy is %s', async (_what, input, spa) => {
  const { create, send, list } = await shop();
  const { deploy } = await create(input);
  expect(deploy).toMatchObject({ spa });
  expect(await (await send(deploy.id, await siteOf('app'))).json()).toMatchObject({ spa });
  expect((await list()).liveDeploy).toMatchObject({ spa });
});

test('a later deploy replaces it; rollback goes back, and forward again', async () => {
  const { deploy, rollback, list, live } = await shop();
  const first = await deploy(await siteOf('one'));
  const second = await deploy(await siteOf('two'));
  expect(await live()).toEqual({ 'index.html': '<h1>two</h1>' });

  expect(await rollback(first.id)).toMatchObject({
    deploy: { number: 1, isLive: true },
    project: { liveDeploy: { number: 1 } },
  });
  expect(await live()).toEqual({ 'index.html': '<h1>one</h1>' });
  expect((await list()).nodes.map(({ number, isLive }) => [number, isLive])).toEqual([
    [2, false],
    [1, true],
  ]);
  await rollback(second.id);
  expect(await live()).toEqual({ 'index.html': '<h1>two</h1>' });
});

test('the list is paged, newest first', async () => {
  const { create, list } = await shop();
  for (let i = 0; i < 3; i++) await create();
  const page = await list(2);
  expect(page.nodes.map(({ number }) => number)).toEqual([3, 2]);
  expect(page.deploys.pageInfo).toEqual({ hasNextPage: true });
  const rest = await list(2, page.deploys.edges[1]?.cursor);
  expect(rest.nodes.map(({ number }) => number)).toEqual([1]);
  expect(rest.deploys.pageInfo).toEqual({ hasNextPage: false });
});

test('a template goes live at once, with nothing to upload', async () => {
  const { create, list, live } = await shop();
  const { deploy, upload } = await create({ template: 'storefront' });
  expect(upload).toBeNull();
  expect(deploy).toMatchObject({ number: 1, state: 'ready', isLive: true });
  expect((await list()).liveDeploy).toMatchObject({ id: deploy.id });
  expect(await live()).toHaveProperty(['index.html']);
});

test('every change is on record', async () => {
  const { secret, projectId, keyId, deploy, rollback } = await shop();
  const { id } = await deploy(await siteOf('one'));
  await deploy(await siteOf('two'));
  await rollback(id);
  const { data } = await askGraphQL<{ auditLog: { edges: { node: unknown }[] } }>(
    gateway,
    secret,
    `{ auditLog(projectId: "${projectId}") { edges { node { action actorKeyId changes { property before after } } } } }`,
  );
  const live = (before: string | null, after: string) => [{ property: 'liveDeploy', before, after }];
  expect(data?.auditLog.edges.map(({ node }) => node)).toEqual([
    { action: 'deploy.rollback', actorKeyId: keyId, changes: live('2', '1') },
    { action: 'deploy.publish', actorKeyId: keyId, changes: live('1', '2') },
    {
      action: 'deploy.create',
      actorKeyId: keyId,
      changes: [{ property: 'deploy', before: null, after: '2' }],
    },
    { action: 'deploy.publish', actorKeyId: keyId, changes: live(null, '1') },
    {
      action: 'deploy.create',
      actorKeyId: keyId,
      changes: [{ property: 'deploy', before: null, after: '1' }],
    },
  ]);
});

describe('permissions', () => {
  test('another owner key of the project, and an admin, can send the archive', async () => {
    const own = await shop();
    const { apiKeys } = gateway.services;
    const second = await apiKeys.create({ name: 'second', role: 'owner', projectId: own.projectId });
    const admin = await apiKeys.create({ name: 'admin', role: 'admin' });
    for (const { secret } of [second, admin]) {
      const { deploy } = await own.create();
      const { send } = deployClient(gateway, secret, own.projectId);
      expect((await send(deploy.id, await siteOf('x'))).status).toBe(201);
    }
  });

  test('an owner of another project is denied everywhere, and changes nothing', async () => {
    const own = await shop();
    const foreign = await shop();
    const live = await own.deploy(await siteOf('mine'));
    const { deploy } = await own.create();
    await expectError(await foreign.send(deploy.id, await siteOf('theirs')), 404, 'not_found');
    const asForeign = (query: string) => codesOf(askGraphQL(gateway, foreign.secret, query));
    const { projectId } = own;
    expect(
      await asForeign(`mutation { createDeploy(input: { projectId: "${projectId}" }) { deploy { id } } }`),
    ).toEqual(['forbidden']);
    expect(
      await asForeign(
        `mutation { rollbackDeploy(input: { projectId: "${projectId}", deployId: "${live.id}" }) { deploy { id } } }`,
      ),
    ).toEqual(['forbidden']);
    // Its own project, but somebody else's deploy.
    expect(
      await asForeign(
        `mutation { rollbackDeploy(input: { projectId: "${foreign.projectId}", deployId: "${live.id}" }) { deploy { id } } }`,
      ),
    ).toEqual(['not_found']);
    expect(await own.live()).toEqual({ 'index.html': '<h1>mine</h1>' });
    expect(await foreign.live()).toBeUndefined();
  });

  test('a server or browser key cannot send an archive', async () => {
    const { create, projectId } = await shop();
    const { deploy } = await create();
    const { secret } = await gateway.services.apiKeys.create({ name: 'server', projectId });
    const { send } = deployClient(gateway, secret, projectId);
    await expectError(await send(deploy.id, await siteOf('x')), 403, 'forbidden');
    const browser = await gateway.services.apiKeys.create({
      name: 'browser',
      role: 'browser',
      projectId,
      allowedOrigins: ['https://shop.example'],
    });
    const asBrowser = deployClient(gateway, browser.secret, projectId);
    await expectError(
      await asBrowser.send(deploy.id, await siteOf('x'), { origin: 'https://shop.example' }),
      403,
      'forbidden',
    );
  });

  test('no key, a deploy that does not exist, another method', async () => {
    const { create, send, secret } = await shop();
    const { deploy } = await create();
    const path = `/deploys/${deploy.id}/archive`;
    await expectError(await gateway.request(path, { method: 'PUT', body: 'x' }), 401, 'missing_api_key');
    await expectError(await send('dep_none', await siteOf('x')), 404, 'not_found');
    const get = await gateway.request(path, { key: secret });
    await expectError(get, 405, 'method_not_allowed');
    expect(get.headers.get('allow')).toBe('PUT, OPTIONS');
  });
});

describe('an upload that does not count', () => {
  test('as another media type, or in a content coding: 415, and the deploy still waits', async () => {
    const { create, send, list } = await shop();
    const { deploy } = await create();
    const archive = await siteOf('x');
    await expectError(await send(deploy.id, archive, { 'content-type': 'application/zip' }), 415);
    await expectError(await send(deploy.id, archive, { 'content-encoding': 'gzip' }), 415);
    expect((await list()).nodes).toMatchObject([{ state: 'awaiting_upload' }]);
    expect((await send(deploy.id, archive)).status).toBe(201);
  });

  test('a second archive for the same deploy: 409', async () => {
    const { create, send, live } = await shop();
    const { deploy } = await create();
    expect((await send(deploy.id, await siteOf('first'))).status).toBe(201);
    await expectError(await send(deploy.id, await siteOf('second')), 409, 'conflict');
    expect(await live()).toEqual({ 'index.html': '<h1>first</h1>' });
  });

  test('rollback to a deploy that is not ready: conflict', async () => {
    const { create, secret, projectId } = await shop();
    const { deploy } = await create();
    const mutation = `mutation { rollbackDeploy(input: { projectId: "${projectId}", deployId: "${deploy.id}" }) { deploy { id } } }`;
    expect(await codesOf(askGraphQL(gateway, secret, mutation))).toEqual(['conflict']);
  });
});

describe('at once', () => {
  test('two deploys: both are stored, exactly one is live', async () => {
    const { create, send, list, live } = await shop();
    const deploys = await Promise.all([create(), create()]);
    expect(deploys.map(({ deploy }) => deploy.number).sort()).toEqual([1, 2]);
    const answers = await Promise.all(
      deploys.map(async ({ deploy }) => send(deploy.id, await siteOf(`site ${deploy.number}`))),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const { nodes, liveDeploy } = await list();
    expect(nodes.map(({ state }) => state)).toEqual(['ready', 'ready']);
    expect(nodes.filter(({ isLive }) => isLive)).toEqual([liveDeploy]);
    expect(await live()).toEqual({ 'index.html': `<h1>site ${liveDeploy?.number ?? 0}</h1>` });
  });

  test('more uploads than run at a time wait for each other', async () => {
    const { create, send, list } = await shop();
    const deploys: Awaited<ReturnType<typeof create>>[] = [];
    while (deploys.length < 8) deploys.push(await create());
    const answers = await Promise.all(
      deploys.map(async ({ deploy }) => send(deploy.id, await siteOf(`site ${deploy.number}`))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect((await list()).nodes.filter(({ isLive }) => isLive)).toHaveLength(1);
  });

  test('two archives for one deploy: one is accepted, the other rejected', async () => {
    const { create, send, live } = await shop();
    const { deploy } = await create();
    const names = ['a', 'b'];
    const answers = await Promise.all(names.map(async (name) => send(deploy.id, await siteOf(name))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const taken = names[answers.findIndex(({ status }) => status === 201)] ?? '';
    expect(await live()).toEqual({ 'index.html': `<h1>${taken}</h1>` });
  });
});
