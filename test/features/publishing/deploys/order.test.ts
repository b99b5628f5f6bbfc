import { useGateway } from '../../../support/gateway.js';
import { askGraphQL } from '../../../interfaces/graphql/client.js';
import { siteOf } from './archives.js';
import { newShop, type DeployNode } from './client.js';

const gateway = useGateway();

type Shop = Awaited<ReturnType<typeof newShop>>;

/** Uploads a site that is recognizable by its text. */
async function upload({ send }: Shop, { id }: DeployNode, text: string): Promise<DeployNode> {
  const answer = await send(id, await siteOf(text));
  expect(answer.status).toBe(201);
  return (await answer.json()) as DeployNode;
}

const page = (text: string) => ({ 'index.html': `<h1>${text}</h1>` });

test('an older deploy that is uploaded later is ready, not live, and every answer says so', async () => {
  const shop = await newShop(gateway);
  const first = (await shop.create()).deploy;
  const second = (await shop.create()).deploy;
  expect(await upload(shop, second, 'two')).toMatchObject({ number: 2, isLive: true, notLiveReason: null });

  const notLive = {
    number: 1,
    state: 'ready',
    fileCount: 1,
    isLive: false,
    notLiveReason:
      'Deploy 2, which is newer, was live when the upload of this deploy ended. To make this deploy live, roll back to it.',
  };
  expect(await upload(shop, first, 'one')).toMatchObject(notLive);
  expect(await shop.live()).toEqual(page('two'));
  expect(await shop.list()).toMatchObject({
    liveDeploy: { number: 2 },
    nodes: [{ number: 2, isLive: true, notLiveReason: null }, notLive],
  });
  const { data } = await askGraphQL<{ auditLog: { edges: { node: unknown }[] } }>(
    gateway,
    shop.secret,
    `{ auditLog(projectId: "${shop.projectId}", first: 1) { edges { node { action changes { property before after } } } } }`,
  );
  expect(data?.auditLog.edges).toMatchObject([
    { node: { action: 'deploy.publish', changes: [{ property: 'readyDeploy', before: null, after: '1' }] } },
  ]);

  expect((await shop.rollback(first.id)).deploy).toMatchObject({ isLive: true, notLiveReason: null });
  expect(await shop.live()).toEqual(page('one'));
});

test('a rollback stays, whatever deploy that was created before it is uploaded after it', async () => {
  const shop = await newShop(gateway);
  const first = await shop.deploy(await siteOf('one'));
  await shop.deploy(await siteOf('two'));
  const third = (await shop.create()).deploy;
  await shop.rollback(first.id);
  expect(await upload(shop, third, 'three')).toMatchObject({
    state: 'ready',
    isLive: false,
    notLiveReason:
      'The site was rolled back after this deploy was created. To make this deploy live, roll back to it.',
  });
  expect(await shop.live()).toEqual(page('one'));

  // What is created after the rollback goes live again.
  expect(await shop.deploy(await siteOf('four'))).toMatchObject({ number: 4, isLive: true });
  expect(await shop.live()).toEqual(page('four'));
});

test('a rollback forward, to a newer deploy, stays too', async () => {
  const shop = await newShop(gateway);
  const first = await shop.deploy(await siteOf('one'));
  const second = await shop.deploy(await siteOf('two'));
  await shop.rollback(first.id);
  const third = (await shop.create()).deploy;
  await shop.rollback(second.id);
  expect(await upload(shop, third, 'three')).toMatchObject({ isLive: false });
  expect(await shop.live()).toEqual(page('two'));
});

test('uploads that end at the same moment: the newest deploy is live, in every round', async () => {
  const shop = await newShop(gateway);
  for (let round = 0; round < 8; round++) {
    const older = (await shop.create()).deploy;
    const newer = (await shop.create()).deploy;
    const [, last] = await Promise.all([
      upload(shop, older, `older ${round}`),
      upload(shop, newer, `newer ${round}`),
    ]);
    expect(last).toMatchObject({ isLive: true });
    expect(await shop.live()).toEqual(page(`newer ${round}`));
  }
});

test('an upload and a rollback at the same moment: the rollback stays, in every round', async () => {
  const shop = await newShop(gateway);
  const first = await shop.deploy(await siteOf('first'));
  for (let round = 0; round < 8; round++) {
    const { deploy } = await shop.create();
    await Promise.all([upload(shop, deploy, `round ${round}`), shop.rollback(first.id)]);
    expect(await shop.live()).toEqual(page('first'));
  }
});
