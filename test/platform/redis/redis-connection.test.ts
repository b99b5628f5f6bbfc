import { createLogger } from '../../../src/lib/logger.js';
import { connectRedis, type RedisConnection } from '../../../src/platform/redis/redis-connection.js';
import { chooseFreePort } from '../../support/free-port.js';
import { startRedisSentinels } from '../../support/redis-sentinel.js';
import { startRedisServer, type RedisServer } from '../../support/redis-server.js';
import { until } from '../../support/until.js';

const PASSWORD = 'p@ss/word-that-is-secret';

let logLines: string[];
let toClose: { close: () => Promise<void> }[];

beforeEach(() => {
  logLines = [];
  toClose = [];
});
afterEach(async () => {
  for (const each of toClose.reverse()) await each.close();
});

async function connect(url: string): Promise<RedisConnection> {
  const log = createLogger({ level: 'debug', pretty: false }, { write: (line) => void logLines.push(line) });
  const connection = await connectRedis(url, log);
  toClose.push(connection);
  return connection;
}
async function serve(settings: Record<string, string> = {}): Promise<RedisServer> {
  const server = await startRedisServer(settings);
  toClose.push(server);
  return server;
}
const logged = (text: string) => logLines.filter((line) => line.includes(text)).length;

test('is ready when it is handed over, and closes without a trace', async () => {
  const server = await serve();
  const { client, close } = await connect(server.url);
  expect(client.status).toBe('ready');
  expect(await client.ping()).toBe('PONG');
  await close();
  await until('the end', () => Promise.resolve(client.status === 'end'));
  expect(logLines).toEqual([]);
});

test('an unreachable Redis stops no start; reconnects until it is up, and logs that once', async () => {
  const port = await chooseFreePort();
  // Resolves while there is no Redis: nothing waits for it.
  const { client } = await connect(`redis://127.0.0.1:${port}`);
  await expect(client.ping()).rejects.toThrow();
  await serve({ port: String(port) });
  await until('the connection', () => Promise.resolve(client.status === 'ready'));
  expect(await client.ping()).toBe('PONG');
  expect([logged('is unreachable'), logged('is reachable again')]).toEqual([1, 1]);
});

test('comes back each time after kill -9', async () => {
  const server = await serve();
  const { client } = await connect(server.url);
  for (let round = 1; round <= 2; round++) {
    await server.kill();
    await until('the loss', () => Promise.resolve(client.status !== 'ready'));
    await server.restart();
    await until('the return', () => Promise.resolve(client.status === 'ready'));
    expect([logged('is unreachable'), logged('is reachable again')]).toEqual([round, round]);
  }
});

test('a paused Redis holds up neither the start nor the end', async () => {
  const server = await serve();
  server.pause();
  // Both resolve while it is paused, or neither ever would.
  const { client, close } = await connect(server.url);
  expect(client.status).not.toBe('ready');
  await close();
  server.resume();
});

test('reports a wrong password, and never prints a password', async () => {
  const server = await serve({ requirepass: PASSWORD });
  const { client } = await connect(
    `redis://:${encodeURIComponent(`${PASSWORD}-wrong`)}@127.0.0.1:${server.port}`,
  );
  expect(client.status).not.toBe('ready');
  expect(logged('WRONGPASS')).toBe(1);
  const right = await connect(server.url);
  expect(right.client.status).toBe('ready');
  await server.kill();
  await until('the loss', () => Promise.resolve(logged('is unreachable') === 2));
  expect(logLines.join('')).not.toContain('secret');
});

test('Sentinels that name another primary during an attempt to connect do not end the connection', async () => {
  const sentinels = await startRedisSentinels();
  toClose.push(sentinels);
  const { client } = await connect(sentinels.url);
  await until('the connection', () => Promise.resolve(client.status === 'ready'));
  const ended = new Promise((resolve) => client.once('end', resolve));
  // What ioredis does when it hears of another primary.
  client.once('connecting', () => void setImmediate(() => client.disconnect(true)));
  client.disconnect(true);
  await ended;
  await until('the connection again', () => Promise.resolve(client.status === 'ready'));
});
