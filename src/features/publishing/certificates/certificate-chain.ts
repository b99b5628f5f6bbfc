import { X509Certificate, type KeyObject } from 'node:crypto';
import type { X509Certificate as ParsedCertificate } from '@peculiar/x509';
import { loadX509 } from './load-x509.js';

/** What the gateway stores of a certificate in addition to its key. */
export interface CertificateChain {
  /** PEM, the leaf certificate first. */
  pem: string;
  notBefore: Date;
  notAfter: Date;
  /** Hexadecimal. */
  serialNumber: string;
  /** The certificate's ARI identifier; undefined if its issuer has no key identifier. */
  ariId: string | undefined;
}

/** @throws Error if the text is not a certificate chain */
export function readCertificateChain(pem: string): CertificateChain {
  const x509 = loadX509();
  const [first] = x509.PemConverter.decode(pem);
  if (first === undefined) throw new Error('there is no certificate in it');
  const leaf = new x509.X509Certificate(first);
  const { notBefore, notAfter, serialNumber } = leaf;
  return { pem, notBefore, notAfter, serialNumber, ariId: ariIdOf(leaf) };
}

/** Whether the leaf certificate is for this key and this host name. */
export function isCertificateFor(chain: CertificateChain, hostname: string, privateKey: KeyObject): boolean {
  const leaf = new X509Certificate(chain.pem);
  return leaf.checkPrivateKey(privateKey) && leaf.checkHost(hostname, { subject: 'never' }) !== undefined;
}

/**
 * The ARI identifier (RFC 9773, 4.1): the issuer's key identifier and the DER-encoded serial number, each in base64url.
 */
function ariIdOf(leaf: ParsedCertificate): string | undefined {
  const keyId = leaf.getExtension(loadX509().AuthorityKeyIdentifierExtension)?.keyId;
  if (keyId === undefined) return undefined;
  // The serial number is positive. If its first bit is 1, DER puts a zero byte in front, which the parser drops.
  const even = leaf.serialNumber.length % 2 === 0 ? leaf.serialNumber : `0${leaf.serialNumber}`;
  const serial = /^[89a-f]/i.test(even) ? `00${even}` : even;
  return [keyId, serial].map((hex) => Buffer.from(hex, 'hex').toString('base64url')).join('.');
}
