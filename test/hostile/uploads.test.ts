import { gzipSync } from 'node:zlib';
import { connect, type Socket } from 'node:net';
import { newShop } from '../features/publishing/deploys/client.js';
import { siteOf, tarOf, type TestEntry } from '../features/publishing/deploys/archives.js';
import { expectError } from '../support/expect-answer.js';
import { useGateway } from '../support/gateway.js';
import { rawHead } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { slowness } from './bounds/reference-core.js';

/** What one owner's uploads cost everybody else. */
const gateway = useGateway();

const shop = () => newShop(gateway);

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

test('all projects can publish at the same moment', async () => {
  const shops = await Promise.all(Array.from({ length: 12 }, () => shop()));
  const live = await Promise.all(shops.map(async (own, i) => own.deploy(await siteOf(`site ${i}`))));
  expect(live.map(({ state }) => state)).toEqual(shops.map(() => 'ready'));
});

describe('an archive of tens of thousands of entries', () => {
  const numbered = (count: number, entry: (i: number) => TestEntry) =>
    Array.from({ length: count }, (_, i) => entry(i));
  const COUNT = 32_000;
  const KINDS: [string, (i: number) => TestEntry][] = [
    ['folders', (i) => ({ name: `d${i}/`, type: 'directory' })],
    ['one folder again and again', () => ({ name: 'd/', type: 'directory' })],
    ['files that are left out', (i) => ({ name: `.hidden/${i}`, type: 'file' })],
  ];

  /** What uploads of it cost: the least of each, milliseconds of the processor. */
  async function expectRefused(tar: Buffer, reason: string) {
    const { create, send, list } = await shop();
    const archive = gzipSync(tar, { level: 9 });
    expect(archive.length).toBeLessThan(512 * 1024);
    const cost = { inAll: Infinity, inOneTurn: Infinity };
    for (let i = 0; i < 5; i++) {
      const { deploy } = await create();
      const meter = meterTurns();
      const answer = await send(deploy.id, archive);
      const { inAll, inOneTurn } = meter();
      cost.inAll = Math.min(cost.inAll, inAll);
      cost.inOneTurn = Math.min(cost.inOneTurn, inOneTurn);
      const { message } = await expectError(answer, 400, 'invalid_request');
      expect(message).toContain(reason);
    }
    expect((await list(1)).nodes).toMatchObject([{ state: 'failed' }]);
    // On the reference core, 32,000 folders took 1,700, all of them in one turn of the event loop.
    const slower = slowness();
    expect(cost.inAll).toBeLessThan(700 * slower);
    expect(cost.inOneTurn).toBeLessThan(200 * slower);
  }

  test.each(KINDS)('%s: refused after the first 2,000, with its reason', async (_name, entry) => {
    const tar = await tarOf(['index.html', 'x'], ...numbered(COUNT, entry));
    await expectRefused(tar, 'more than 2000 entries');
  });

  test('headers that belong to no file: refused after the first few thousand', async () => {
    const header = (await tarOf({ name: 'a', pax: { x: '1' } })).subarray(0, 1024);
    const tar = Buffer.concat([
      ...Array.from({ length: 16_000 }, () => header),
      await tarOf(['index.html', 'x']),
    ]);
    await expectRefused(tar, 'too many headers');
  });

  test('up to 2,000 are taken, of which the site has its files', async () => {
    const own = await shop();
    const folders = numbered(1499, (i) => ({ name: `d${i}/`, type: 'directory' }));
    const files = numbered(500, (i) => [`d${i}/${'long'.repeat(30)}.txt`, 'x']);
    const archive = gzipSync(
      await tarOf(['index.html', 'x'], ...folders, ...files.slice(1), ['.left-out', '']),
    );
    expect(await own.deploy(archive)).toMatchObject({ fileCount: 500 });
  });
});

/** Measures the processor time of this process from now on; the answer is in milliseconds. */
function meterTurns(): () => { inAll: number; inOneTurn: number } {
  const spentSince = (then: NodeJS.CpuUsage) => {
    const { user, system } = process.cpuUsage(then);
    return (user + system) / 1000;
  };
  const begin = process.cpuUsage();
  let inOneTurn = 0;
  let last = begin;
  const lookAtTurn = () => {
    inOneTurn = Math.max(inOneTurn, spentSince(last));
    last = process.cpuUsage();
    next = setImmediate(lookAtTurn);
  };
  let next = setImmediate(lookAtTurn);
  return () => {
    clearImmediate(next);
    return { inAll: spentSince(begin), inOneTurn: Math.max(inOneTurn, spentSince(last)) };
  };
}
