import { withNoun } from '../../src/lib/with-noun.js';

test.each([
  [0, '0 requests'],
  [1, '1 request'],
  [2, '2 requests'],
])('%i: %s', (count, text) => {
  expect(withNoun(count, 'request')).toBe(text);
});
