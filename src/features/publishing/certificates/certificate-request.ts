import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from '@peculiar/x509';

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * A new P-256 key and the request for a certificate of it (RFC 2986), for one host name in its ASCII form. The name is
 * an alternative name alone: a common name holds 64 characters at most, and CAs have stopped wanting one.
 * @returns PKCS #8 and PKCS #10, both DER
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
