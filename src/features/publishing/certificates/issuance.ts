import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { AcmeFailure } from './acme-failure.js';
import type { CertificateChain } from './certificate-chain.js';
import { createCertificateRequest } from './certificate-request.js';
import type { KeyRing, Sealed } from './key-ring.js';

/** What is stored of the issuing of one certificate; next-step.ts says what the states mean. */
export type Issuance = IssuanceStart & IssuanceSecrets & IssuanceProgress & IssuanceState;

export interface IssuanceStart {
  /** Names the record: what is sealed for it opens in no other. */
  id: string;
  /** ASCII form. */
  hostname: string;
  /** As the CA names its kinds of certificates. */
  profile: string | undefined;
  /** The ARI identifier of the certificate to be replaced. */
  replaces: string | undefined;
}

interface IssuanceSecrets {
  /** PKCS #8 DER. */
  privateKey: Sealed;
  /** PKCS #10 DER. Sealed as well: whoever could exchange it would be given a certificate for his own key. */
  csr: Sealed;
}

interface IssuanceProgress {
  /** Looks at the order since the last change of state. */
  looks: number;
  /** Failures in a row that the same request may outlive. */
  failures: number;
  /** How often the CA had lost the order. */
  lostOrders: number;
  /** Why it does not go on at the moment. */
  lastFailure: AcmeFailure | undefined;
}

export type IssuanceState =
  | { state: 'keyed' }
  | { state: 'ordered' | 'answering' | 'finalizing'; orderUrl: string }
  | ({ state: 'issued' } & CertificateChain)
  | {
      state: 'failed';
      failure: AcmeFailure;
      /** Counts against what the CA allows a host: 5 an hour at Let's Encrypt. */
      validationFailed: boolean;
    };

export const NO_PROGRESS: IssuanceProgress = { looks: 0, failures: 0, lostOrders: 0, lastFailure: undefined };

type Purpose = keyof IssuanceSecrets;
const identityOf = (id: string, purpose: Purpose) => `certificate/${id}/${purpose}`;

/** A new key and its request, for the caller to store before anything is asked of a CA. */
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
 * Its key under the key that encrypts now; the same object when it is already.
 * @throws SealError
 */
export function resealPrivateKey<T extends Omit<Held, 'csr'>>(held: T, keyRing: KeyRing): T {
  const privateKey = keyRing.reseal(held.privateKey, identityOf(held.id, 'privateKey'));
  return privateKey === held.privateKey ? held : { ...held, privateKey };
}

/**
 * Key and request under the key that encrypts now; the same object when both are already.
 * @throws SealError
 */
export function resealIssuance<T extends Held>(issuance: T, keyRing: KeyRing): T {
  const resealed = resealPrivateKey(issuance, keyRing);
  const csr = keyRing.reseal(issuance.csr, identityOf(issuance.id, 'csr'));
  return csr === issuance.csr ? resealed : { ...resealed, csr };
}
