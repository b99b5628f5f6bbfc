import { connect, type Socket } from 'node:net';
import { deployClient } from '../features/publishing/deploys/client.js';
import { siteOf } from '../features/publishing/deploys/archives.js';
import { startGateway } from '../support/gateway.js';
import { rawHead } from '../support/raw-http.js';
import { AMPLE } from '../support/rest-client.js';
import { until } from '../support/until.js';

/** What one owner's uploads cost everybody else. */
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

async function shop() {
  const { secret, apiKey } = await gateway.keyOn('enterprise', AMPLE, { role: 'owner' });
  const projectId = apiKey.projectId ?? '';
  return { secret, projectId, ...deployClient(gateway, secret, projectId) };
}

describe('slow uploads', () => {
  const open: Socket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });

  /** The head of an upload and one byte of its body. Resolves once the gateway has asked for the rest. */
  async function beginUpload({ secret, create }: Awaited<ReturnType<typeof shop>>): Promise<Socket> {
    const { deploy } = await create();
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    open.push(socket);
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('error', () => undefined);
    socket.write(
      rawHead(
        `PUT /deploys/${deploy.id}/archive HTTP/1.1`,
        ...['Host: x', `Authorization: Bearer ${secret}`, 'Content-Type: application/gzip'],
        ...['Content-Length: 60000', 'Expect: 100-continue'],
      ),
    );
    await until('the gateway to ask for the body', () =>
      Promise.resolve(Buffer.concat(received).includes('100 Continue')),
    );
    socket.write('\u001f');
    return socket;
  }

  test('of one project, however many, stop no other project from publishing', async () => {
    const [slow, other] = [await shop(), await shop()];
    for (let i = 0; i < 12; i++) await beginUpload(slow);
    expect(await other.deploy(await siteOf('other'))).toMatchObject({ state: 'ready', isLive: true });
  });

  test('of many projects stop no other project from publishing', async () => {
    for (let i = 0; i < 8; i++) await beginUpload(await shop());
    const other = await shop();
    expect(await other.deploy(await siteOf('other'))).toMatchObject({ state: 'ready', isLive: true });
  });

  test('that are broken off make room for the next of the same project', async () => {
    const own = await shop();
    const slow = [await beginUpload(own), await beginUpload(own), await beginUpload(own)];
    const deployed = own.deploy(await siteOf('own'));
    for (const socket of slow) socket.destroy();
    expect(await deployed).toMatchObject({ state: 'ready' });
  });
});

test('as many projects as there are publish at the same moment', async () => {
  const shops = await Promise.all(Array.from({ length: 12 }, () => shop()));
  const live = await Promise.all(shops.map(async (own, i) => own.deploy(await siteOf(`site ${i}`))));
  expect(live.map(({ state }) => state)).toEqual(shops.map(() => 'ready'));
});
