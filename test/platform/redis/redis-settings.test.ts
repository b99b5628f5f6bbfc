import { Redis } from 'ioredis';
import { findRedisFaults } from '../../../src/platform/redis/redis-settings.js';
import { startRedisServer } from '../../support/redis-server.js';

async function faultsWith(settings: Record<string, string>, forbidden: readonly string[] = []) {
  const server = await startRedisServer(settings);
  const client = new Redis(server.url);
  try {
    if (forbidden.length > 0)
      await client.call('ACL', 'SETUSER', 'default', ...forbidden.map((command) => `-${command}`));
    return await findRedisFaults(client);
  } finally {
    client.disconnect();
    await server.close();
  }
}

test('as the gateway wants it: no fault', async () => {
  expect(await faultsWith({})).toEqual([]);
});

describe.each([
  ['CONFIG GET', []],
  ['INFO, where CONFIG is forbidden', ['config']],
])('by %s', (_how, forbidden) => {
  test('no append-only file', async () => {
    const faults = await faultsWith({ appendonly: 'no' }, forbidden);
    expect(faults).toEqual([expect.stringContaining('appendonly')]);
  });

  test('keys may be evicted', async () => {
    const faults = await faultsWith({ 'maxmemory-policy': 'allkeys-lru' }, forbidden);
    expect(faults).toEqual([expect.stringContaining('maxmemory-policy allkeys-lru')]);
  });

  test('both', async () => {
    const faults = await faultsWith({ appendonly: 'no', 'maxmemory-policy': 'volatile-ttl' }, forbidden);
    expect(faults).toHaveLength(2);
  });
});

test('where both are forbidden it says that it could not be checked', async () => {
  const faults = await faultsWith({}, ['config', 'info']);
  expect(faults).toEqual([expect.stringContaining('check yourself that appendonly is yes')]);
});
