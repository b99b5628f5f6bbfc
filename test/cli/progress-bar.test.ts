import { renderProgress } from '../../src/cli/progress-bar.js';

const at = (doneBytes: number, elapsedMs: number, startBytes = 0, totalBytes = 1000) =>
  renderProgress({ doneBytes, totalBytes, startBytes, elapsedMs });

test('begins without an estimate, because there is nothing to estimate from', () => {
  expect(at(0, 0)).toBe(`${'░'.repeat(24)}   0 %`);
  expect(at(0, 60_000)).toBe(`${'░'.repeat(24)}   0 %`);
  expect(at(500, 0)).toBe(`${'█'.repeat(12)}${'░'.repeat(12)}  50 %`);
  expect(at(0, 0, 0, 0)).toBe(`${'█'.repeat(24)} 100 %`);
});

test('then says how long the rest takes, by the speed of this run', () => {
  expect(at(500, 2000)).toMatch(/ 50 % · 2 s left$/);
  expect(at(600, 10_000, 500)).toMatch(/ 60 % · 40 s left$/);
  expect(at(100, 10_000)).toMatch(/ 10 % · 1 min 30 s left$/);
  expect(at(1000, 2000)).toMatch(/ 100 %$/);
});
