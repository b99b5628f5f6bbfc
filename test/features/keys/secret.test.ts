import {
  createSecret,
  hashSecret,
  isSameHash,
  isWellFormed,
  startOf,
} from '../../../src/features/keys/secret.js';
import { randomBase62 } from '../../../src/lib/random-id.js';

describe('the secret of an API key', () => {
  test('names its environment, then 32 random and 6 checksum characters', () => {
    expect(createSecret('production')).toMatch(/^pets_live_[0-9A-Za-z]{38}$/);
    expect(createSecret('staging')).toMatch(/^pets_test_[0-9A-Za-z]{38}$/);
  });

  test('is different each time', () => {
    const secrets = Array.from({ length: 2000 }, () => createSecret('production'));
    expect(new Set(secrets).size).toBe(2000);
  });

  test('uses every character equally in its random part', () => {
    const counts = new Map<string, number>();
    for (const character of randomBase62(124_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 2000 of each are expected, give or take 44: what is further off by far is no chance.
    for (const count of counts.values()) expect(Math.abs(count - 2000)).toBeLessThan(300);
  });

  test('is well formed in its own environment only', () => {
    const secret = createSecret('production');
    expect(isWellFormed(secret, 'production')).toBe(true);
    expect(isWellFormed(secret, 'staging')).toBe(false);
    expect(isWellFormed(secret.replace('live', 'test'), 'staging')).toBe(false);
  });

  test('is well formed in every release: keys are kept', () => {
    expect(isWellFormed('pets_live_Ab0Ab0Ab0Ab0Ab0Ab0Ab0Ab0Ab0Ab0Zz3u1XZH', 'production')).toBe(true);
  });

  test('with any one character changed is not well formed', () => {
    const secret = createSecret('production');
    for (let i = 0; i < secret.length; i++) {
      const other = secret[i] === 'a' ? 'b' : 'a';
      expect(isWellFormed(secret.slice(0, i) + other + secret.slice(i + 1), 'production')).toBe(false);
    }
  });

  test.each([
    ['cut short', (secret: string) => secret.slice(0, -1)],
    ['longer', (secret: string) => `${secret}a`],
    ['with a space', (secret: string) => `${secret} `],
    ['with a line break', (secret: string) => `${secret}\n`],
    ['in capitals', (secret: string) => secret.toUpperCase()],
    ['empty', () => ''],
  ])('%s is not well formed', (_name, change) => {
    expect(isWellFormed(change(createSecret('production')), 'production')).toBe(false);
  });

  test('is stored as a SHA-256 hash, and recognised by its start', () => {
    expect(hashSecret('pets_live_a')).toHaveLength(43);
    expect(hashSecret('')).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
    const secret = createSecret('staging');
    expect(startOf(secret, 'staging')).toBe(secret.slice(0, 14));
    expect(isSameHash(hashSecret(secret), hashSecret(secret))).toBe(true);
    expect(isSameHash(hashSecret(secret), hashSecret(createSecret('staging')))).toBe(false);
  });
});
