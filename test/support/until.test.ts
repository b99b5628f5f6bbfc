import { until } from './until.js';

/** Holds up the whole process, as a machine does that stands still. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('finds a result after a stall that is longer than its patience', async () => {
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

test('waits for a missing result until its patience is over', async () => {
  await expect(until('nothing', () => Promise.resolve(false), 100)).rejects.toThrow(
    'waited in vain for: nothing',
  );
});

test('says at its end what was there instead', async () => {
  let tries = 0;
  await expect(
    until(
      () => `the end of ${tries} tries`,
      () => Promise.resolve(++tries < 0),
      100,
    ),
  ).rejects.toThrow(/^waited in vain for: the end of [1-9]\d* tries$/);
});
