import { slugsFor } from '../../../src/features/projects/slug.js';

const random = (length: number) => 'r'.repeat(length);

/** The first two that a project of this name may have. */
function slugs(name: string): string[] {
  const candidates = slugsFor(name, random);
  return [candidates.next().value, candidates.next().value];
}

test.each([
  ['Zoo', 'zoo', 'zoo-rrrrr'],
  ['Zoo & Co.', 'zoo-co', 'zoo-co-rrrrr'],
  ['  --Tierheim Süd--  ', 'tierheim-sud', 'tierheim-sud-rrrrr'],
  ['Ñandú №5', 'nandu-no5', 'nandu-no5-rrrrr'],
  ['xn--bcher-kva', 'xn-bcher-kva', 'xn-bcher-kva-rrrrr'],
  ['a'.repeat(60), 'a'.repeat(40), `${'a'.repeat(34)}-rrrrr`],
  [`${'a'.repeat(39)} b`, 'a'.repeat(39), `${'a'.repeat(34)}-rrrrr`],
  [`${'a'.repeat(33)} bcdefgh`, `${'a'.repeat(33)}-bcdefg`, `${'a'.repeat(33)}-rrrrr`],
])('%s', (name, first, second) => {
  expect(slugs(name)).toEqual([first, second]);
});

test.each([
  'www',
  'API',
  'Admin',
  'mail',
  'autodiscover',
  'wpad',
  'localhost',
  '猫の家',
  '🐈',
  '--',
  'store',
])('%s is not given as it is', (name) => {
  expect(slugs(name)[0]).toMatch(/^[a-z0-9]+-rrrrr$/);
});

test('each is a DNS label that cannot be taken for punycode', () => {
  for (const name of ['a -- b', 'ab--cd', 'xn--', '-', 'A.B.C', 'a'.repeat(100), '1'])
    for (const slug of slugs(name)) {
      expect(slug).toMatch(/^[a-z0-9-]{1,40}$/);
      expect(slug).not.toMatch(/^-|-$|--/);
    }
});
