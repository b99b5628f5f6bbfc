import { nodeFaultOf } from '../../src/lib/node-versions.js';

const MAY_2026 = Date.parse('2026-05-01T00:00:00Z');

test.each([
  ['20.19.0', 'Node 20 is past its end of life and gets no security fixes: use Node 22, 24 or 26'],
  ['23.1.0', 'Node 23 is past its end of life and gets no security fixes: use Node 22, 24 or 26'],
  ['22.23.3', undefined],
  ['24.9.0', undefined],
  ['26.9.0', undefined],
  ['28.0.0', undefined],
])('Node %s in May 2026: %s', (version, expected) => {
  expect(nodeFaultOf(version, MAY_2026)).toBe(expected);
});

test('the end of life begins the day after the last day of support', () => {
  expect(nodeFaultOf('20.20.2', MAY_2026 - 1)).toBeUndefined();
});
