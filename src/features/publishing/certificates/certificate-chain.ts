import 'reflect-metadata';
import { X509Certificate, type KeyObject } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  PemConverter,
  X509Certificate as ParsedCertificate,
} from '@peculiar/x509';

/** What is kept of a certificate beside its key. */
export interface CertificateChain {
  /** PEM, the certificate itself first. */
  pem: string;
  notBefore: Date;
  notAfter: Date;
  /** Hexadecimal. */
  serialNumber: string;
  /** How the CA knows it in ARI; absent when its issuer has no key identifier. */
  ariId: string | undefined;
}

/** @throws Error when this is no chain of certificates */
export function readCertificateChain(pem: string): CertificateChain {
  const [first] = PemConverter.decode(pem);
  if (first === undefined) throw new Error('there is no certificate in it');
  const leaf = new ParsedCertificate(first);
  const { notBefore, notAfter, serialNumber } = leaf;
  return { pem, notBefore, notAfter, serialNumber, ariId: ariIdOf(leaf) };
}

/** Whether this is the certificate of this key and this host. */
export function isCertificateFor(chain: CertificateChain, hostname: string, privateKey: KeyObject): boolean {
  const leaf = new X509Certificate(chain.pem);
  return leaf.checkPrivateKey(privateKey) && leaf.checkHost(hostname, { subject: 'never' }) !== undefined;
}

/** RFC 9773, 4.1: the issuer's key identifier and the serial number as DER has it, each in base64url. */
function ariIdOf(leaf: ParsedCertificate): string | undefined {
  const keyId = leaf.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (keyId === undefined) return undefined;
  // The number is positive: a first bit of 1 has a byte of zeros before it, which the parser leaves out.
  const even = leaf.serialNumber.length % 2 === 0 ? leaf.serialNumber : `0${leaf.serialNumber}`;
  const serial = /^[89a-f]/i.test(even) ? `00${even}` : even;
  return [keyId, serial].map((hex) => Buffer.from(hex, 'hex').toString('base64url')).join('.');
}
