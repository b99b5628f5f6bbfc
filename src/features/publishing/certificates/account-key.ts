import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type JsonWebKey,
} from 'node:crypto';

/** A body that a CA takes: a JWS in the flattened serialisation (RFC 7515, 7.2.2). */
export interface Jws {
  protected: string;
  payload: string;
  signature: string;
}

/** The key that an account at the CA is known by. */
export interface AccountKey {
  jwk: JsonWebKey;
  /** RFC 7638. */
  thumbprint: string;
  /** @param payload undefined for a POST-as-GET (RFC 8555, 6.3) */
  sign(header: Readonly<Record<string, unknown>>, payload: unknown): Jws;
}

/** A new P-256 key as PKCS #8 DER, to be sealed and stored. */
export function generateAccountKey(): Buffer {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'der' });
}

/** @throws TypeError when this is no P-256 key */
export function readAccountKey(pkcs8: Buffer): AccountKey {
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new TypeError('an account key is a P-256 key');
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' }) as Record<string, string>;
  // The members that RFC 7638 counts, in its order.
  const jwk = { crv, kty, x, y } as JsonWebKey;
  return {
    jwk,
    thumbprint: createHash('sha256').update(JSON.stringify(jwk)).digest('base64url'),
    sign(header, payload) {
      const signed = {
        protected: base64urlOf({ alg: 'ES256', ...header }),
        payload: payload === undefined ? '' : base64urlOf(payload),
      };
      const signature = sign('sha256', Buffer.from(`${signed.protected}.${signed.payload}`), {
        key,
        dsaEncoding: 'ieee-p1363',
      });
      return { ...signed, signature: signature.toString('base64url') };
    },
  };
}

function base64urlOf(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
