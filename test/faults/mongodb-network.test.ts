import { mongoUriThrough } from '../support/mongo-uri-through.js';
import { QUOTA } from './live-through.js';
import { useWiredGateway } from './use-wired-gateway.js';

/** 3 s to learn who calls, 2 s for the quota, 5 s for the rest; and what a busy machine adds. */
const BOUND_MS = 10_000 + 2000;
/** Finds code that would wait until the end of the fault. */
const LONGER_THAN_BOUND_MS = BOUND_MS + 2000;

const { through, late, answersSwallowed, allSwallowed, reset, slow, down, flapping } = useWiredGateway(
  ({ uri }) =>
    Promise.resolve({
      port: Number(new URL(uri).port),
      settings: (wirePort) => ({ MONGODB_URI: mongoUriThrough(uri, wirePort) }),
      close: () => Promise.resolve(),
    }),
  BOUND_MS,
);

test.each([
  late(5000)('MongoDB answers 5 s late', 7000),
  answersSwallowed('the network swallows the answers of MongoDB', LONGER_THAN_BOUND_MS),
  allSwallowed('the network swallows all between gateway and MongoDB', 8000),
  reset('connections to MongoDB are reset', 4000),
  down('MongoDB refuses connections', 6000),
])('$name: 503 with Retry-After in time, not ready, and no data is lost', async (fault) => {
  const { outcomes, readyDuring } = await through(fault);
  expect(outcomes['503 service_unavailable']).toBeGreaterThan(0);
  expect(readyDuring.at(-1)).toMatchObject({ status: 503, checks: { mongodb: 'no answer' } });
});

test.each([late(300)('MongoDB answers 300 ms late', 4000), slow('MongoDB answers slowly', 4000)])(
  '$name: slower, no request is refused, and the limits are exact',
  async (fault) => {
    const { outcomes, readyDuring, admitted } = await through(fault);
    expect(admitted).toBeLessThanOrEqual(QUOTA.requestsPerMinute);
    expect(Object.keys(outcomes).sort()).toEqual(['200', '201']);
    expect(new Set(readyDuring.map(({ status }) => status))).toEqual(new Set([200]));
  },
);

test('MongoDB comes and goes: unanswerable requests get 503, and no data is lost', async () => {
  const { outcomes } = await through(flapping('MongoDB comes and goes every 300 ms', 5000));
  expect(outcomes['201']).toBeGreaterThan(0);
});
