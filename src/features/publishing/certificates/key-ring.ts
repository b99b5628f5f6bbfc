import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionKey } from '../../../lib/encryption-keys.js';

/** What is stored of a secret. */
export interface Sealed {
  keyId: string;
  nonce: Buffer;
  ciphertext: Buffer;
  tag: Buffer;
}

/**
 * Secrets at rest. `identity` says whose and what a secret is (`certificate/<id>/private-key`): it is authenticated,
 * not stored, so that what was sealed for one record opens in no other.
 */
export interface KeyRing {
  seal(secret: Uint8Array, identity: string): Sealed;
  /** @throws SealError */
  open(sealed: Sealed, identity: string): Buffer;
  /**
   * The same secret under the key that encrypts now; `sealed` itself when it is that key's already.
   * @throws SealError
   */
  reseal(sealed: Sealed, identity: string): Sealed;
}

/** Tells nothing of a secret. `unknown_key`: its key is not on the ring; `not_authentic`: changed, or another's. */
export class SealError extends Error {
  constructor(
    readonly code: 'unknown_key' | 'not_authentic',
    identity: string,
  ) {
    const reasons = {
      unknown_key: 'the key it was sealed with is not on the ring',
      not_authentic: 'it was changed, or sealed for another record',
    };
    super(`${identity} cannot be opened: ${reasons[code]}`);
    this.name = 'SealError';
  }
}

const CIPHER = 'aes-256-gcm';
/** NIST SP 800-38D, 8.2.2: a random nonce of 96 bits is good for 2^32 secrets under one key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM; the first key encrypts, all decrypt. @throws RangeError when there is none */
export function createKeyRing(keys: readonly EncryptionKey[]): KeyRing {
  const [current] = keys;
  if (current === undefined) throw new RangeError('a key ring needs a key');
  const ring: KeyRing = {
    seal(secret, identity) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, current.secret, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(identity));
      const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
      return { keyId: current.id, nonce, ciphertext, tag: cipher.getAuthTag() };
    },
    open({ keyId, nonce, ciphertext, tag }, identity) {
      const key = keys.find(({ id }) => id === keyId);
      if (key === undefined) throw new SealError('unknown_key', identity);
      try {
        const decipher = createDecipheriv(CIPHER, key.secret, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(identity)).setAuthTag(tag);
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
      } catch {
        throw new SealError('not_authentic', identity);
      }
    },
    reseal: (sealed, identity) =>
      sealed.keyId === current.id ? sealed : ring.seal(ring.open(sealed, identity), identity),
  };
  return ring;
}
