import { isWithinEdits } from '../../src/lib/within-edits.js';

test.each([
  ['the same text', 'PORT', 'PORT', 0],
  ['nothing', '', '', 0],
  ['a character more', 'LOG_LEVEL', 'LOG_LEVELS', 1],
  ['a character less, at the beginning', 'HOST', 'OST', 1],
  ['another character', 'MONGODB_URI', 'MONGODB_URL', 1],
  ['two neighbours in the wrong order', 'WORKERS', 'WOKRERS', 1],
  ['the last two in the wrong order', 'WORKERS', 'WORKESR', 1],
  ['a swap after a repeated character', 'aab', 'aba', 1],
  ['one at each end', 'KEY_CACHE', 'EY_CACHEX', 2],
  ['everything more', '', 'ab', 2],
  ['a swap and a character between', 'ca', 'abc', 3],
])('%s', (_what, a, b, edits) => {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    expect(isWithinEdits(from, to, edits)).toBe(true);
    expect(isWithinEdits(from, to, edits + 1)).toBe(true);
    if (edits > 0) expect(isWithinEdits(from, to, edits - 1)).toBe(false);
  }
});
