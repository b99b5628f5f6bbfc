import { startRedisServer } from '../support/redis-server.js';
import { QUOTA } from './live-through.js';
import { useWiredGateway } from './use-wired-gateway.js';

/** 2 s for the quota; and what a busy machine adds. */
const BOUND_MS = 2000 + 2000;

const { through, late, answersSwallowed, allSwallowed, reset, slow, down, flapping } = useWiredGateway(
  async () => {
    const { port, close } = await startRedisServer();
    return { port, settings: (wirePort) => ({ REDIS_URL: `redis://127.0.0.1:${wirePort}` }), close };
  },
  BOUND_MS,
);

test.each([
  late(5000)('Redis answers 5 s late', 4000),
  answersSwallowed('the network swallows the answers of Redis', 4000),
  allSwallowed('the network swallows all between gateway and Redis', 4000),
  reset('connections to Redis are reset', 4000),
  down('Redis refuses connections', 4000),
])(
  '$name: no request is rejected because of it, the local limit holds, and readiness names it',
  async (fault) => {
    const { outcomes, readyDuring } = await through(fault);
    expect(Object.keys(outcomes).sort()).toEqual(['200', '201']);
    expect(readyDuring.at(-1)).toMatchObject({
      status: 200,
      checks: { quotaStore: 'redis: no answer: local limits apply' },
    });
  },
);

test.each([late(300)('Redis answers 300 ms late', 4000), slow('Redis answers slowly', 4000)])(
  '$name: slower, no request is rejected because of it, and the limits are exact',
  async (fault) => {
    const { outcomes, admitted } = await through(fault);
    expect(Object.keys(outcomes).sort()).toEqual(['200', '201']);
    expect(admitted).toBeLessThanOrEqual(QUOTA.requestsPerMinute);
  },
);

test('Redis comes and goes: no request is rejected because of it', async () => {
  const { outcomes } = await through(flapping('Redis comes and goes every 300 ms', 4000));
  expect(Object.keys(outcomes).sort()).toEqual(['200', '201']);
});
