import { sharesOf, type Profile } from '../../bench/profile/shares.js';

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 9 });
const STEP = 'file:///srv/gateway/dist/http/steps/compose.js';
const PACKAGE = '/srv/gateway/node_modules/@apollo/server/dist/cjs/run.js';

test('counts own time by area and function, time with calls by step, and idle time not at all', () => {
  const profile: Profile = {
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 6] },
      { id: 2, callFrame: frame('next', STEP), children: [3] },
      { id: 3, callFrame: frame('run', PACKAGE), children: [4] },
      // A step within itself.
      { id: 4, callFrame: frame('next', STEP), children: [5] },
      { id: 5, callFrame: frame('writev') },
      { id: 6, callFrame: frame('(idle)') },
    ],
    samples: [2, 3, 4, 5, 6, 5],
    timeDeltas: [100_000, 200_000, 100_000, 500_000, 7_000_000, 100_000],
  };
  const { busySeconds, areas, functions, steps } = sharesOf(profile);
  expect(busySeconds).toBe(1);
  expect(areas).toEqual([
    ['native code and system calls', 0.6],
    ['src/http/steps', 0.2],
    ['@apollo/server', 0.2],
    ['(root)', 0],
  ]);
  expect(functions[0]).toEqual(['writev', 0.6]);
  expect(steps).toEqual([['next dist/http/steps/compose.js:10', 1]]);
});
