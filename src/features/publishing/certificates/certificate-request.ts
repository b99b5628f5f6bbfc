import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from '@peculiar/x509';

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
