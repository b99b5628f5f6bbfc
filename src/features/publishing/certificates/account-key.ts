import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type JsonWebKey } from 'node:crypto';
import { sha256 } from '../../../lib/sha256.js';

/** A request body for a CA: a JWS in the flattened serialization (RFC 7515, 7.2.2). */
export interface Jws {
  protected: string;
  payload: string;
  signature: string;
}

/** The key that identifies an account at the CA. */
export interface AccountKey {
  jwk: JsonWebKey;
  /** The JWK thumbprint (RFC 7638). */
  thumbprint: string;
  /** @param payload undefined for a POST-as-GET (RFC 8555, 6.3) */
  sign(header: Readonly<Record<string, unknown>>, payload: unknown): Jws;
}

/** Generates a P-256 key as PKCS #8 DER. The caller seals and stores it. */
export function generateAccountKey(): Buffer {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'der' });
}

/** @throws TypeError if the key is not a P-256 key */
export function readAccountKey(pkcs8: Buffer): AccountKey {
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new TypeError('an account key is a P-256 key');
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' }) as Record<string, string>;
  // RFC 7638 hashes these members, in this order.
  const jwk = { crv, kty, x, y } as JsonWebKey;
  return {
    jwk,
    thumbprint: sha256(JSON.stringify(jwk), 'base64url'),
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
