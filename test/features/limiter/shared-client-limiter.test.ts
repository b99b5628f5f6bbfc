import { createClientLimiter, type ClientLimiter } from '../../../src/features/limiter/client-limiter.js';
import { withBroadcast } from '../../../src/features/limiter/shared-client-limiter.js';
import { NOON } from '../../support/fake-date.js';

const LIMIT = 5;
let here: ClientLimiter;
let there: ClientLimiter;
let posted: [client: string, cost: number][];

beforeEach(() => {
  posted = [];
  there = createClientLimiter(LIMIT, () => NOON);
  here = withBroadcast(
    createClientLimiter(LIMIT, () => NOON),
    (client, cost) => {
      posted.push([client, cost]);
      there.count(client, cost);
    },
  );
});

test('a request that one process admits counts in the others', () => {
  expect(here.charge('a').admitted).toBe(true);
  expect(here.charge('a', 3).admitted).toBe(true);
  expect(there.peek('a').remaining).toBe(1);
  expect(posted).toEqual([
    ['a', 1],
    ['a', 3],
  ]);
});

test('a rejection in one process does not count in the others', () => {
  expect(here.charge('a', LIMIT + 1).admitted).toBe(false);
  expect(posted).toEqual([]);
});

test('a refund in one process applies in all', () => {
  here.charge('a', 4);
  here.refund('a', 3);
  expect([here.peek('a').remaining, there.peek('a').remaining]).toEqual([4, 4]);
});
