import { until } from './until.js';

/** Holds up the whole process, as a machine does that stands still. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('what is there after a stall longer than the patience is found', async () => {
  let tries = 0;
  const answer = await until(
    'the third try',
    () => {
      tries += 1;
      if (tries === 1) stall(3000);
      return Promise.resolve(tries === 3 && 'there');
    },
    2000,
  );
  expect(answer).toBe('there');
});

test('what never comes is waited for until the patience is over', async () => {
  await expect(until('nothing', () => Promise.resolve(false), 100)).rejects.toThrow(
    'waited in vain for: nothing',
  );
});
