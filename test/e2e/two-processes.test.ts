import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { startRedisServer } from '../support/redis-server.js';

describe.each(['MongoDB', 'Redis'])('two processes that count in one %s', (store) => {
  const database = freshDatabase();
  const gateways: GatewayProcess[] = [];
  const toClose: (() => Promise<void>)[] = [() => database.drop()];
  /** Of the gateways, and of the command line beside them. */
  const env: Record<string, string> = {};

  beforeAll(async () => {
    if (store === 'Redis') {
      const redis = await startRedisServer();
      toClose.push(redis.close);
      env['REDIS_URL'] = redis.url;
    }
    // The first one builds when it has to. One after the other, so that afterAll knows what was started.
    for (let i = 0; i < 2; i++)
      gateways.push(await startGatewayProcess({ ...env, MONGODB_URI: database.uri }));
  });
  afterAll(async () => {
    const codes = await Promise.all(gateways.map((gateway) => gateway.stop()));
    for (const close of toClose) await close();
    expect(codes).toEqual([0, 0]);
  });

  async function command<T>(...args: string[]): Promise<T> {
    const { stdout } = await runCommand(database, [...args, '--json'], env);
    return JSON.parse(stdout) as T;
  }

  async function newKey(plan = 'free'): Promise<{ id: string; secret: string }> {
    const project = await command<{ id: string }>('projects', 'create', 'Shop', '--plan', plan);
    return command('keys', 'create', '--project', project.id);
  }

  async function askAll(secret: string, count: number): Promise<Response[]> {
    const headers = { authorization: `Bearer ${secret}` };
    return Promise.all(
      Array.from({ length: count }, (_, i) =>
        fetch(`${gateways[i % gateways.length]?.url ?? ''}/v1/pets`, { headers }),
      ),
    );
  }

  test('200 requests at once, half to each: exactly 60 are admitted, and counted once in each window', async () => {
    const { id, secret } = await newKey();
    const responses = await askAll(secret, 200);
    const admitted = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(({ status }) => status === 429);
    expect([admitted.length, refused.length]).toEqual([60, 140]);
    expect(await command('quota', 'show', id)).toMatchObject([
      { window: 'minute', used: 60, remaining: 0 },
      { window: 'day', used: 60, remaining: 940 },
    ]);
  });

  test('1,200 requests of a key with a limit of 1,000: exactly 1,000 are admitted', async () => {
    const { secret } = await newKey('business');
    let admitted = 0;
    for (let sent = 0; sent < 1200; sent += 100) {
      const responses = await askAll(secret, 100);
      admitted += responses.filter(({ status }) => status === 200).length;
    }
    expect(admitted).toBe(1000);
  });

  test('what one process refuses, the other refuses as well', async () => {
    const { secret } = await newKey();
    await askAll(secret, 60);
    const after = await askAll(secret, 4);
    expect(after.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
  });
});
