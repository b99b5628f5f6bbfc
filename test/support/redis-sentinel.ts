import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { chooseFreePort } from './free-port.js';
import { endRedis, launchRedis, startRedisServer, type RedisServer } from './redis-server.js';
import { until } from './until.js';

export interface SentinelSetup {
  /** A REDIS_URL with all Sentinels. */
  url: string;
  primary: RedisServer;
  replica: RedisServer;
  /** The port of the server that the Sentinels name as the primary. */
  primaryPort: () => Promise<number>;
  /** Ends all servers and removes their files. */
  close: () => Promise<void>;
}

const SENTINELS = 3;
const NAME = 'quotas';

/** A primary with one replica, and three Sentinels that agree by two. */
export async function startRedisSentinels(downAfterMs = 30_000): Promise<SentinelSetup> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-sentinel-'));
  const toClose: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const end of toClose.splice(0).reverse()) await end();
  };
  try {
    const primary = await startRedisServer();
    toClose.push(primary.close);
    const replica = await startRedisServer({ replicaof: `127.0.0.1 ${primary.port}` });
    toClose.push(replica.close);
    const sentinels: Redis[] = [];
    for (let i = 0; i < SENTINELS; i++) {
      const port = await chooseFreePort();
      const file = join(folder, `${i}.conf`);
      const lines = [
        ...[`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`],
        `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} 2`,
        `sentinel down-after-milliseconds ${NAME} ${downAfterMs}`,
        `sentinel failover-timeout ${NAME} 10000`,
      ];
      await writeFile(file, lines.join('\n'));
      const child = await launchRedis([file, '--sentinel'], { host: '127.0.0.1', port });
      const client = new Redis({ host: '127.0.0.1', port });
      client.on('error', () => undefined);
      sentinels.push(client);
      toClose.push(() => {
        client.disconnect();
        return endRedis(child);
      });
    }
    const knows = async (sentinel: Redis) => {
      const list = (await sentinel.call('SENTINEL', 'MASTER', NAME)) as string[];
      const valueOf = (name: string) => list[list.indexOf(name) + 1];
      return valueOf('num-slaves') === '1' && valueOf('num-other-sentinels') === String(SENTINELS - 1);
    };
    await until('the Sentinels to know everyone', async () =>
      (await Promise.all(sentinels.map(knows))).every(Boolean),
    );
    return {
      url: `redis+sentinel://${sentinels.map(({ options }) => `127.0.0.1:${options.port ?? 0}`).join(',')}/${NAME}`,
      primary,
      replica,
      async primaryPort() {
        const answers = sentinels.map((sentinel) =>
          sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME),
        );
        const ports = (await Promise.all(answers)).map((answer) => Number((answer as string[])[1]));
        return ports.find((port) => port !== primary.port) ?? primary.port;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
