import { createPrivateKey, webcrypto, type KeyObject } from 'node:crypto';
import type { Fault } from '../domains/problem.js';
import type { KeyRing, Sealed } from './key-ring.js';
import { loadX509 } from './load-x509.js';

/** The stored record of one certificate issuance. steps.ts explains the states. */
export type Issuance = IssuanceStart & IssuanceSecrets & IssuanceProgress & IssuanceState;

export interface IssuanceStart {
  /** Identifies the record. Secrets sealed for this id cannot be opened for another. */
  id: string;
  /** In ASCII form. */
  hostname: string;
  /** The CA's name for the kind of certificate. */
  profile: string | undefined;
  /** The ARI identifier of the certificate to replace. */
  replaces: string | undefined;
}

interface IssuanceSecrets {
  /** PKCS #8 DER. */
  privateKey: Sealed;
  /** PKCS #10 DER. Sealed as well: an attacker who could replace it would get a certificate for their own key. */
  csr: Sealed;
}

interface IssuanceProgress {
  /** Order polls since the last state change. */
  polls: number;
  /** Consecutive failures after which the same request can still succeed. */
  failures: number;
  /** How often the CA lost the order. */
  lostOrders: number;
  /** Failed validations of this order, after which the CA lets the gateway ask for another one. */
  failedValidations: number;
  /** Why the issuance is currently waiting. */
  fault: Fault | undefined;
}

export type IssuanceState =
  { state: 'keyed' } | { state: 'ordered' | 'answering' | 'finalizing'; orderUrl: string };

export const NO_PROGRESS: IssuanceProgress = {
  polls: 0,
  failures: 0,
  lostOrders: 0,
  failedValidations: 0,
  fault: undefined,
};

type Purpose = keyof IssuanceSecrets;
const identityOf = (id: string, purpose: Purpose) => `certificate/${id}/${purpose}`;

/** Generates a key and its certificate request. The caller stores them before it sends anything to a CA. */
export async function startIssuance(start: IssuanceStart, keyRing: KeyRing): Promise<Issuance> {
  const { privateKey, csr } = await createCertificateRequest(start.hostname);
  return {
    ...start,
    privateKey: keyRing.seal(privateKey, identityOf(start.id, 'privateKey')),
    csr: keyRing.seal(csr, identityOf(start.id, 'csr')),
    ...NO_PROGRESS,
    state: 'keyed',
  };
}

type Held = Pick<Issuance, 'id' | Purpose>;

/** @throws SealError */
export function openPrivateKey({ id, privateKey }: Omit<Held, 'csr'>, keyRing: KeyRing): KeyObject {
  const key = keyRing.open(privateKey, identityOf(id, 'privateKey'));
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

/** @throws SealError */
export function openCsr({ id, csr }: Omit<Held, 'privateKey'>, keyRing: KeyRing): Buffer {
  return keyRing.open(csr, identityOf(id, 'csr'));
}

/**
 * Reseals the private key with the current encryption key. Returns the same object if that key already sealed it.
 * @throws SealError
 */
export function resealPrivateKey<T extends Omit<Held, 'csr'>>(held: T, keyRing: KeyRing): T {
  const privateKey = keyRing.reseal(held.privateKey, identityOf(held.id, 'privateKey'));
  return privateKey === held.privateKey ? held : { ...held, privateKey };
}

/**
 * Reseals the private key and the request with the current encryption key. Returns the same object if that key already
 * sealed both.
 * @throws SealError
 */
export function resealIssuance<T extends Held>(issuance: T, keyRing: KeyRing): T {
  const resealed = resealPrivateKey(issuance, keyRing);
  const csr = keyRing.reseal(issuance.csr, identityOf(issuance.id, 'csr'));
  return csr === issuance.csr ? resealed : { ...resealed, csr };
}

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * Generates a P-256 key and a certificate request for it (RFC 2986), for one host name in ASCII form. The name is only
 * a subject alternative name: a common name holds 64 characters at most, and CAs no longer require one.
 * @returns the key as PKCS #8 and the request as PKCS #10, both DER
 */
export async function createCertificateRequest(
  hostname: string,
): Promise<{ privateKey: Buffer; csr: Buffer }> {
  const keys = await webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = loadX509();
  const request = await Pkcs10CertificateRequestGenerator.create(
    {
      keys,
      signingAlgorithm: P256,
      extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }])],
    },
    webcrypto,
  );
  const privateKey = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { privateKey: Buffer.from(privateKey), csr: Buffer.from(request.rawData) };
}
