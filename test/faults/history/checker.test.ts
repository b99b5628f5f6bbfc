import { createChecker, type Answer, type Checker } from './checker.js';

/** What the checker says about histories that are made up, right and wrong ones. */
const LIMIT = 4;
let checker: Checker;
beforeEach(() => {
  checker = createChecker([{ name: 'key', limits: { minute: LIMIT, day: 1000 } }], 2);
});

/** An answer after 10 ms, in the window that ends at 60 s. */
function answer(sentMs: number, remaining: number, more: Partial<Answer> = {}): void {
  const secondsLeft = Math.ceil((60_000 - sentMs) / 1000);
  checker.record({
    ...{ key: 'key', gateway: 'a', sentMs, receivedMs: sentMs + 10, cost: 1, outcome: 'admitted' },
    windows: { minute: { remaining, secondsLeft } },
    ...more,
  });
}
const rejected = (sentMs: number, remaining = 0, more: Partial<Answer> = {}) =>
  answer(sentMs, remaining, { outcome: 'rejected', ...more });

function violations(): readonly string[] {
  checker.sweep(Infinity);
  return checker.verdict().violations;
}

test('what fits is admitted, and no more', () => {
  for (const [i, sentMs] of [0, 1000, 2000, 3000].entries()) answer(sentMs, LIMIT - 1 - i);
  rejected(4000);
  // The next window.
  answer(61_000, 3, { windows: { minute: { remaining: 3, secondsLeft: 60 } } });
  expect(violations()).toEqual([]);
  expect(checker.verdict()).toMatchObject({ clean: 2, withOutage: 0, full: 1 });
});

test('a unit beyond the limit', () => {
  for (const sentMs of [0, 1000, 2000, 3000, 4000]) answer(sentMs, 0);
  expect(violations()).toEqual([expect.stringMatching(/5 admitted$/)]);
});

test('a unit of a query beyond the limit', () => {
  answer(0, 0, { cost: 3 });
  answer(1000, 0, { cost: 2 });
  expect(violations()).toEqual([expect.stringMatching(/5 admitted$/)]);
});

test('a rejection of what fits', () => {
  for (const [i, sentMs] of [0, 1000, 2000].entries()) answer(sentMs, LIMIT - 1 - i);
  rejected(3000);
  expect(violations()).toEqual([expect.stringContaining('rejected 1 at 3010, when 3 at most were used')]);
});

test('a rejection of what fits unless a request that was lost is counted', () => {
  for (const [i, sentMs] of [0, 1000, 2000].entries()) answer(sentMs, LIMIT - 1 - i);
  answer(2500, 0, { outcome: 'unknown', windows: {} });
  rejected(3000);
  expect(violations()).toEqual([]);
});

test('a rejection of what fits unless the rejection of a query was charged', () => {
  for (const [i, sentMs] of [0, 1000].entries()) answer(sentMs, LIMIT - 1 - i);
  rejected(2000, 2, { cost: 3 });
  rejected(3000, 0, { cost: 2 });
  expect(violations()).toEqual([]);
});

test('more is said to remain than does', () => {
  answer(0, 3);
  answer(1000, 3);
  expect(violations()).toEqual([expect.stringContaining('said 3 remained to a request of 1000, when 2')]);
});

test('less is known to remain than is said, to a request that is rejected', () => {
  for (const [i, sentMs] of [0, 1000, 2000].entries()) answer(sentMs, LIMIT - 1 - i);
  rejected(3000, 2, { cost: 3 });
  expect(violations()).toEqual([expect.stringContaining('said 2 remained')]);
});

test('a window that begins before the last one has ended', () => {
  answer(0, 3);
  answer(30_000, 3, { windows: { minute: { remaining: 3, secondsLeft: 60 } } });
  expect(violations()).toEqual([expect.stringContaining('the next one ends')]);
});

describe('while a process applies local limits', () => {
  beforeEach(() => checker.outageBegan('a', 10_000));

  test('its share of what was left when it last saw the key', () => {
    answer(0, 2, { cost: 2 });
    answer(1000, 0, { cost: 2, gateway: 'b' });
    answer(13_000, 0);
    checker.outageEnded('a', 20_000);
    expect(violations()).toEqual([]);
    expect(checker.verdict()).toMatchObject({ withOutage: 1, mostOver: { units: 1, limit: LIMIT } });
  });

  test('more than its share', () => {
    answer(0, 2, { cost: 2 });
    answer(13_000, 0, { cost: 2 });
    checker.outageEnded('a', 20_000);
    expect(violations()).toEqual([expect.stringContaining('admitted 2 locally, its share is 1')]);
  });

  test('more than the limit by the store', () => {
    answer(13_000, 0, { cost: 5, gateway: 'b' });
    checker.outageEnded('a', 20_000);
    expect(violations()).toContainEqual(expect.stringContaining('the store admitted 5'));
  });

  test('what a process that lives admitted is forgotten', () => {
    answer(13_000, 0, { cost: 2 });
    checker.outageEnded('a', 20_000);
    answer(30_000, 3, { gateway: 'b' });
    expect(violations()).toEqual([expect.stringContaining('said 3 remained')]);
  });

  test('what a process that was killed admitted is forgotten', () => {
    answer(13_000, 0, { cost: 2 });
    checker.gatewayEnded('a', 20_000);
    answer(30_000, 3, { gateway: 'b' });
    expect(violations()).toEqual([]);
  });
});
