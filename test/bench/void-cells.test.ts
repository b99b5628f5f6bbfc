import { faultOf, type Round } from '../../bench/measure.js';

const round = (requests: number, { refusals = 0, broken = 0 } = {}): Round => ({
  requests,
  refusals,
  broken,
  requestsPerSecond: requests,
  p50Ms: 1,
  p99Ms: 1,
  serverCpuUs: 1,
  mongodCpuUs: 1,
  mongodOperations: 1,
  residentMiB: 1,
});

test.each([
  ['all rounds have answers', 'one', [round(10), round(20)], undefined],
  ['a round has no answer', 'pro', [round(10), round(0), round(20)], '1 of 3 rounds had no answer'],
  ['a request broke', 'one', [round(10, { broken: 1 })], '1 requests failed or took longer than 10 s'],
  ['a request was refused', 'one', [round(10, { refusals: 2 })], '2 requests were refused'],
  ['a used-up key was not refused', 'used-up', [round(10, { refusals: 8 })], '2 requests were not refused'],
] as const)('a cell is void unless its numbers mean something: %s', (_what, keys, rounds, fault) => {
  expect(faultOf({ keys }, rounds)).toBe(fault);
});
