import { connect } from 'node:net';
import { once } from 'node:events';
import { expectError } from '../../../support/expect-answer.js';
import { startGateway, useGateway } from '../../../support/gateway.js';
import { until } from '../../../support/until.js';
import { rawHead } from '../../../support/raw-http.js';
import { siteOf } from './archives.js';
import { deployClient, newShop } from './client.js';

let aheadMs = 0;
const gateway = useGateway({ clock: () => Date.now() + aheadMs });

async function shop() {
  const own = await newShop(gateway);
  await own.deploy(await siteOf('before'));
  return own;
}

test('a deploy whose archive never arrives changes nothing, and expires after an hour', async () => {
  const { create, send, list, live } = await shop();
  const { deploy } = await create();
  expect((await list(1)).nodes).toMatchObject([{ state: 'awaiting_upload' }]);
  aheadMs += 3_600_000;
  expect((await list(1)).nodes).toMatchObject([{ state: 'expired' }]);
  await expectError(await send(deploy.id, await siteOf('late')), 409, 'conflict');
  expect(await live()).toEqual({ 'index.html': '<h1>before</h1>' });
});

test('an upload that breaks off leaves the deploy waiting: it can be sent again', async () => {
  const { secret, create, send, list, live } = await shop();
  const { deploy } = await create();
  const archive = await siteOf('after');
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    rawHead(
      `PUT /deploys/${deploy.id}/archive HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/gzip',
      `Content-Length: ${archive.length}`,
    ),
  );
  socket.write(archive.subarray(0, archive.length / 2));
  const { load } = gateway.services;
  await until('the upload to begin', () => Promise.resolve(load.state().receiving === 1));
  socket.destroy();
  await until('the upload to end', () => Promise.resolve(load.state().receiving === 0));

  expect((await list(1)).nodes).toMatchObject([{ state: 'awaiting_upload', problem: null }]);
  expect(await live()).toEqual({ 'index.html': '<h1>before</h1>' });
  expect((await send(deploy.id, archive)).status).toBe(201);
  expect(await live()).toEqual({ 'index.html': '<h1>after</h1>' });
});

test('a gateway that ends between storing the files and publishing them: another one takes the archive', async () => {
  const { secret, projectId, create, list, live } = await shop();
  const { deploy } = await create();
  await gateway.services.deploys.storeFiles({ id: deploy.id, projectId }, [
    { path: 'index.html', bytes: Buffer.from('<h1>after</h1>') },
  ]);
  expect(await live()).toEqual({ 'index.html': '<h1>before</h1>' });

  const other = await startGateway({ beside: gateway });
  try {
    const answer = await deployClient(other, secret, projectId).send(deploy.id, await siteOf('after'));
    expect(answer.status).toBe(201);
  } finally {
    await other.close();
  }
  expect((await list(1)).liveDeploy).toMatchObject({ id: deploy.id });
  expect(await live()).toEqual({ 'index.html': '<h1>after</h1>' });
});

test('a rejected archive does not break the connection for the next request', async () => {
  const { secret, create } = await shop();
  const { deploy } = await create();
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const head = [`Host: ${hostname}`, `Authorization: Bearer ${secret}`];
  socket.write(
    rawHead(
      `PUT /deploys/${deploy.id}/archive HTTP/1.1`,
      ...head,
      'Content-Type: application/gzip',
      'Content-Length: 300000',
    ),
  );
  // Refused at its first bytes, while most of it is still to come.
  socket.write(Buffer.alloc(300_000, 'not gzip'));
  socket.write(rawHead('GET /v1/pets HTTP/1.1', ...head, 'Connection: close'));
  await once(socket, 'close');
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200']);
});
