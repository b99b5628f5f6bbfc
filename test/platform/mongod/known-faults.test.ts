import { knownFaultOf } from '../../../src/platform/mongod/known-faults.js';

const IN_2026 = Date.parse('2026-11-23T00:00:00Z');

test.each([
  [
    '6.0.5',
    'MongoDB 6.0.5 is past its end of life (July 2025) and has a known vulnerability (CVE-2025-14847): use 8.0.17 or later',
  ],
  ['6.0.27', 'MongoDB 6.0.27 is past its end of life (July 2025): use 8.0.17 or later'],
  ['5.0.31-rc0', expect.stringContaining('(October 2024) and has a known vulnerability')],
  ['4.2.1', 'MongoDB 4.2.1 is past its end of life: use 8.0.17 or later'],
  ['7.0.27', 'MongoDB 7.0.27 has a known vulnerability (CVE-2025-14847): use 8.0.17 or later'],
  ['8.0.16', 'MongoDB 8.0.16 has a known vulnerability (CVE-2025-14847): use 8.0.17 or later'],
  ['8.1.0', 'MongoDB 8.1.0 is past its end of life: use 8.0.17 or later'],
  ['8.2.2', expect.stringContaining('CVE-2025-14847')],
  ['7.0.28', undefined],
  ['8.0.17', undefined],
  ['8.2.3', undefined],
  ['9.0.0', undefined],
])('of %s in November 2026', (version, expected) => {
  expect(knownFaultOf(version, IN_2026)).toEqual(expected);
});

test('the end of life begins the day after the last day of support', () => {
  expect(knownFaultOf('8.0.17', Date.parse('2029-10-31T23:59:59Z'))).toBeUndefined();
  expect(knownFaultOf('8.0.17', Date.parse('2029-11-01T00:00:00Z'))).toContain('(October 2029)');
});
