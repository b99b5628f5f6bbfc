import { randomBytes } from 'node:crypto';
import { parseEncryptionKeys } from '../../../../src/lib/encryption-keys.js';
import {
  createKeyRing,
  SealError,
  type Sealed,
} from '../../../../src/features/publishing/certificates/key-ring.js';

const [older, newer] = ['older', 'newer'].map((id) => ({ id, secret: randomBytes(32) })) as [Key, Key];
type Key = Parameters<typeof createKeyRing>[0][number];
const secret = Buffer.from('-----BEGIN PRIVATE KEY-----');
const identity = 'certificate/d1/private-key';

describe('a key ring', () => {
  const ring = createKeyRing([newer, older]);

  it('opens what it sealed, for the same record', () => {
    expect(ring.open(ring.seal(secret, identity), identity)).toEqual(secret);
  });

  it('seals the same secret differently each time', () => {
    const [a, b] = [ring.seal(secret, identity), ring.seal(secret, identity)];
    expect(a.nonce).not.toEqual(b.nonce);
    expect(a.ciphertext).not.toEqual(b.ciphertext);
  });

  it.each(['nonce', 'ciphertext', 'tag'] as const)('rejects a changed %s', (part) => {
    const sealed = ring.seal(secret, identity);
    for (let bit = 0; bit < sealed[part].length * 8; bit += 1) {
      const changed = Buffer.from(sealed[part]);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(refusalOf(() => ring.open({ ...sealed, [part]: changed }, identity))).toMatchObject({
        code: 'not_authentic',
      });
    }
  });

  it.each([0, 4, 8, 15])('rejects a tag cut to %i bytes, which would be easier to guess', (length) => {
    const sealed = ring.seal(secret, identity);
    expect(
      refusalOf(() => ring.open({ ...sealed, tag: sealed.tag.subarray(0, length) }, identity)),
    ).toMatchObject({
      code: 'not_authentic',
    });
  });

  it('rejects a secret that was sealed for another record or another purpose', () => {
    const sealed = ring.seal(secret, identity);
    for (const other of ['certificate/d2/private-key', 'certificate/d1/csr', ''])
      expect(refusalOf(() => ring.open(sealed, other))).toMatchObject({ code: 'not_authentic' });
  });

  it('reports a missing key, and nothing of the secret', () => {
    const sealed = createKeyRing([older]).seal(secret, identity);
    const fault = refusalOf(() => createKeyRing([newer]).open(sealed, identity));
    expect(fault).toMatchObject({
      code: 'unknown_key',
      message: `${identity} cannot be opened: it was sealed with the key "older", which KEY_ENCRYPTION_KEYS lacks`,
    });
    expect(JSON.stringify(fault)).not.toContain(older.secret.toString('base64'));
  });

  it('rejects what another key with the same id sealed', () => {
    const impostor = createKeyRing([{ id: newer.id, secret: randomBytes(32) }]);
    expect(refusalOf(() => ring.open(impostor.seal(secret, identity), identity))).toMatchObject({
      code: 'not_authentic',
    });
  });

  it('rotates: the older key still opens secrets, and can be removed once everything is resealed', () => {
    const before = createKeyRing([older]).seal(secret, identity);
    expect(ring.open(before, identity)).toEqual(secret);
    const after = ring.reseal(before, identity);
    expect(after.keyId).toBe('newer');
    expect(createKeyRing([newer]).open(after, identity)).toEqual(secret);
  });

  it('does not reseal what the encrypting key sealed', () => {
    const sealed: Sealed = ring.seal(secret, identity);
    expect(ring.reseal(sealed, identity)).toBe(sealed);
  });

  it('reseals nothing for another record', () => {
    const before = createKeyRing([older]).seal(secret, identity);
    expect(refusalOf(() => ring.reseal(before, 'certificate/d2/private-key'))).toMatchObject({
      code: 'not_authentic',
    });
  });

  it('requires a key', () => {
    expect(() => createKeyRing([])).toThrow(RangeError);
  });
});

describe('the list of encryption keys', () => {
  const [a, b] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

  it('is read in its order', () => {
    expect(parseEncryptionKeys(`2026-11:${a}, k_1:${b}`)).toEqual({
      keys: [
        { id: '2026-11', secret: Buffer.from(a, 'base64') },
        { id: 'k_1', secret: Buffer.from(b, 'base64') },
      ],
      faults: [],
    });
  });

  it.each([
    ['no id', a, ['entry 1 must be an id, a colon and the key in base64']],
    ['id and key the wrong way round', `${a}:k1`, ['entry 1 needs an id', 'entry 1 needs a key of 32 bytes']],
    ['a key too short', `k1:${randomBytes(31).toString('base64')}`, ['entry 1 needs a key of 32 bytes']],
    ['a key too long', `k1:${randomBytes(33).toString('base64')}`, ['entry 1 needs a key of 32 bytes']],
    ['no base64', `k1:${'*'.repeat(44)}`, ['entry 1 needs a key of 32 bytes']],
    ['no padding', `k1:${a.replace(/=+$/, '')}`, ['entry 1 needs a key of 32 bytes']],
    ['one colon more', `k1:${a}:x`, ['entry 1 must be an id']],
    ['a second with the same id', `k1:${a},k1:${b}`, ['entry 2 has the id of an earlier key']],
    ['a second with the same key', `k1:${a},k2:${a}`, ['entry 2 repeats an earlier key']],
    ['an empty entry', `k1:${a},`, ['entry 2 must be an id']],
    ['several faults', `:${a},k2`, ['entry 1 needs an id', 'entry 2 must be an id']],
  ])(
    'with %s is rejected; the error names every fault and repeats no part of the list',
    (_, text, expected) => {
      const { keys, faults } = parseEncryptionKeys(text);
      expect(keys).toEqual([]);
      expect(faults).toHaveLength(expected.length);
      for (const [index, start] of expected.entries()) expect(faults[index]).toContain(start);
      for (const part of text.split(/[,:]/).filter((piece) => piece.length > 8))
        expect(faults.join()).not.toContain(part);
    },
  );
});

/** The SealError that this attempt ends with. */
function refusalOf(attempt: () => unknown): SealError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof SealError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
