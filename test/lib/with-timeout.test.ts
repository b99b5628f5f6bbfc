import { setTimeout as sleep } from 'node:timers/promises';
import { TimeoutError, withTimeout } from '../../src/lib/with-timeout.js';

/** Holds up the whole process, as a long garbage collection or a suspended machine does. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('an answer in time is the answer, and an error is the error', async () => {
  await expect(withTimeout(sleep(5, 'answer'), 1000)).resolves.toBe('answer');
  await expect(withTimeout(Promise.reject(new RangeError('wrong')), 1000)).rejects.toBeInstanceOf(RangeError);
});

test('no answer ends in a TimeoutError', async () => {
  await expect(withTimeout(new Promise(() => undefined), 20)).rejects.toBeInstanceOf(TimeoutError);
});

test('an answer that was on its way during a stall of this process is in time', async () => {
  const answer = withTimeout(sleep(50, 'answer'), 80);
  stall(200);
  await expect(answer).resolves.toBe('answer');
});
