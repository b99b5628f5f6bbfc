import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionKey } from '../../../lib/encryption-keys.js';

/** A secret in its stored form. */
export interface Sealed {
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
  tag: Buffer;
}

/**
 * Encrypts and decrypts stored secrets. `identity` names the record and the purpose of a secret
 * (`certificate/<id>/private-key`). It is authenticated but not stored, so a secret sealed for one record cannot be
 * opened for another.
 */
export interface KeyRing {
  /** The first encrypts; all decrypt. */
  readonly keyIds: readonly string[];
  seal(secret: Uint8Array, identity: string): Sealed;
  /** @throws SealError */
  open(sealed: Sealed, identity: string): Buffer;
  /**
   * Seals the secret with the current encryption key. Returns `sealed` itself if that key already sealed it.
   * @throws SealError
   */
  reseal(sealed: Sealed, identity: string): Sealed;
}

/**
 * Names the key, and reveals nothing about the secret. `unknown_key`: the key ring lacks the key. `not_authentic`: the
 * secret was changed, or sealed for another record, or sealed with another key of the same id.
 */
export class SealError extends Error {
  constructor(
    readonly code: 'unknown_key' | 'not_authentic',
    identity: string,
    keyId: string,
  ) {
    const reasons = {
      unknown_key: `it was sealed with the key "${keyId}", which KEY_ENCRYPTION_KEYS lacks`,
      not_authentic: `it was changed, or sealed for another record, or sealed with another key that also has the id "${keyId}"`,
    };
    super(`${identity} cannot be opened: ${reasons[code]}`);
    this.name = 'SealError';
  }
}

const CIPHER = 'aes-256-gcm';
/** With a random 96-bit nonce, one key can seal 2^32 secrets (NIST SP 800-38D, 8.2.2). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM. The first key encrypts; all keys decrypt. @throws RangeError if there is no key */
export function createKeyRing(keys: readonly EncryptionKey[]): KeyRing {
  const [current] = keys;
  if (current === undefined) throw new RangeError('a key ring needs a key');
  const ring: KeyRing = {
    keyIds: keys.map(({ id }) => id),
    seal(secret, identity) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, current.secret, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(identity));
      const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
      return { keyId: current.id, nonce, ciphertext, tag: cipher.getAuthTag() };
    },
    open({ keyId, nonce, ciphertext, tag }, identity) {
      const key = keys.find(({ id }) => id === keyId);
      if (key === undefined) throw new SealError('unknown_key', identity, keyId);
      try {
        const decipher = createDecipheriv(CIPHER, key.secret, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(identity)).setAuthTag(tag);
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
      } catch {
        throw new SealError('not_authentic', identity, keyId);
      }
    },
    reseal: (sealed, identity) =>
      sealed.keyId === current.id ? sealed : ring.seal(ring.open(sealed, identity), identity),
  };
  return ring;
}
