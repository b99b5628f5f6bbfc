import { followWaitMs } from '../../../src/features/system/follow-wait.js';

/** A follower hears another one within this time, milliseconds. */
const HEARS_WITHIN_MS = 500;
/** A publisher counts on a follower for this long, milliseconds. */
const FOLLOWED_MS = 60_000;
const TRIES = 500;

/** How many followers say that they are there before they hear the first, on average. */
function saysAtOnce(followers: number): number {
  let says = 0;
  for (let i = 0; i < TRIES; i++) {
    const waits = Array.from({ length: followers }, () => followWaitMs());
    const first = Math.min(...waits);
    says += waits.filter((wait) => wait - first < HEARS_WITHIN_MS).length;
  }
  return says / TRIES;
}

test.each([1, 20, 200, 1000])('of %d followers, one or two say that they are there', (followers) => {
  expect(saysAtOnce(followers)).toBeLessThan(2);
});

test('the publisher always counts on a follower that says so when its wait is over', () => {
  for (let i = 0; i < 10_000; i++) {
    expect(followWaitMs()).toBeGreaterThanOrEqual(20_000);
    expect(followWaitMs()).toBeLessThanOrEqual(FOLLOWED_MS - HEARS_WITHIN_MS);
  }
});
