import { createBatcher } from '../../src/lib/batcher.js';
import { until } from '../support/until.js';

interface Call {
  requests: readonly number[];
  land: () => void;
  fail: (error: Error) => void;
}

let nowMs = 1_000_000;

/** Calls that stay on their way until the test says how they end; the answer to a request is the request itself. */
function flights(maxSize = 100, gathersTick = false) {
  const calls: Call[] = [];
  const ask = createBatcher<number, number>(
    {
      send: (requests) =>
        new Promise((resolve, reject) => {
          calls.push({ requests, land: () => resolve(requests), fail: reject });
        }),
      sizeOf: (request) => request,
      maxSize,
      gathersTick,
    },
    () => nowMs,
  );
  const sent = () => calls.map(({ requests }) => requests);
  const call = (i: number) => {
    const made = calls[i];
    if (made === undefined) throw new Error(`there is no call ${i}`);
    return made;
  };
  return { ask, sent, call };
}

test('sends a single request within the same tick', () => {
  const { ask, sent } = flights();
  void ask(1);
  expect(sent()).toEqual([[1]]);
});

test('gathers the requests of one tick with `gathersTick`, and those of the next tick wait', async () => {
  const { ask, sent, call } = flights(100, true);
  const first = [ask(1), ask(2)];
  await Promise.resolve();
  first.push(ask(3));
  expect(sent()).toEqual([]);
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(sent()).toEqual([[1, 2, 3]]);
  const later = ask(4);
  call(0).land();
  expect(await Promise.all(first)).toEqual([1, 2, 3]);
  call(1).land();
  expect(await later).toBe(4);
});

test('no request joins a call that was already sent: later requests share the next call', async () => {
  const { ask, sent, call } = flights();
  const first = ask(1);
  const later = [ask(2), ask(3)];
  expect(sent()).toEqual([[1]]);
  call(0).land();
  expect(await first).toBe(1);
  expect(sent()).toEqual([[1], [2, 3]]);
  const last = ask(4);
  call(1).land();
  expect(await Promise.all(later)).toEqual([2, 3]);
  call(2).land();
  expect(await last).toBe(4);
});

test('after the last call ended, the next request is sent alone again', async () => {
  const { ask, sent, call } = flights();
  const first = ask(1);
  call(0).land();
  await first;
  void ask(2);
  expect(sent()).toEqual([[1], [2]]);
});

test('waiting requests leave in calls of bounded size, all at once; a larger request goes alone', async () => {
  const { ask, sent, call } = flights(10);
  const first = ask(1);
  const later = [4, 5, 2, 11, 10].map(ask);
  call(0).land();
  await first;
  expect(sent().slice(1)).toEqual([[4, 5], [2], [11], [10]]);
  for (const i of [4, 2, 1, 3]) call(i).land();
  expect(await Promise.all(later)).toEqual([4, 5, 2, 11, 10]);
});

test('a failure affects all requests of the call, and no later ones', async () => {
  const { ask, call } = flights();
  const first = ask(1);
  const shared = [ask(2), ask(3)];
  call(0).land();
  await first;
  const after = ask(4);
  const failure = new Error('no answer');
  call(1).fail(failure);
  expect(await Promise.allSettled(shared)).toEqual([
    { status: 'rejected', reason: failure },
    { status: 'rejected', reason: failure },
  ]);
  call(2).land();
  expect(await after).toBe(4);
});

test('a call that hangs for a second blocks no request: the next request leaves with all that wait', async () => {
  const { ask, sent, call } = flights();
  const stuck = ask(1);
  const gathered = ask(2);
  nowMs += 999;
  const third = ask(3);
  expect(sent()).toEqual([[1]]);
  nowMs += 1;
  const fourth = ask(4);
  expect(sent()).toEqual([[1], [2, 3, 4]]);
  call(1).land();
  expect(await Promise.all([gathered, third, fourth])).toEqual([2, 3, 4]);
  call(0).fail(new Error('the driver gave up'));
  await expect(stuck).rejects.toThrow('the driver gave up');
});

test('a request behind a call that is stuck is sent, also if no other one follows', async () => {
  const { ask, sent } = flights();
  void ask(1);
  void ask(2);
  await until('the second call', () => Promise.resolve(sent().length === 2));
  expect(sent()).toEqual([[1], [2]]);
});
