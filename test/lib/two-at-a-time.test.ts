import { twoAtATime } from '../../src/lib/two-at-a-time.js';
import { until } from '../support/until.js';
import { withResolvers } from '../support/with-resolvers.js';

test('two run at a time, and the results have the order of the items', async () => {
  const doors = Array.from({ length: 5 }, () => withResolvers<number>());
  const begun: number[] = [];
  const all = twoAtATime([0, 1, 2, 3, 4], (i) => {
    begun.push(i);
    return doors[i]?.promise ?? Promise.reject(new Error('another item'));
  });
  expect(begun).toEqual([0, 1]);
  doors[1]?.resolve(10);
  await until('the third to begin', () => Promise.resolve(begun.length > 2));
  expect(begun).toEqual([0, 1, 2]);
  for (const [i, door] of doors.entries()) door.resolve(i * 10);
  expect(await all).toEqual([0, 10, 20, 30, 40]);
});

test('after an error no further item begins', async () => {
  const begun: number[] = [];
  const all = twoAtATime([0, 1, 2, 3, 4], async (i) => {
    begun.push(i);
    await Promise.resolve();
    if (i === 1) throw new Error('no room');
  });
  await expect(all).rejects.toThrow('no room');
  expect(begun.length).toBeLessThan(5);
});
