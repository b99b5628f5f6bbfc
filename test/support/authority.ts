import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { readCertificateChain } from '../../src/features/publishing/certificates/certificate-chain.js';
import { createCertificateRequest } from '../../src/features/publishing/certificates/issuance.js';

/** A certificate authority in memory. */
export interface Authority {
  /** PEM, for clients to trust. */
  root: string;
  /** @param csr DER @returns PEM, valid from an hour ago to a month hence */
  certify: (csr: Buffer, ...hostnames: string[]) => Promise<string>;
}

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export async function createAuthority(): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  const validity = () => ({
    notBefore: new Date(Date.now() - HOUR_MS),
    notAfter: new Date(Date.now() + 30 * DAY_MS),
    signingAlgorithm: P256,
    serialNumber: `01${randomBytes(8).toString('hex')}`,
  });
  const root = await X509CertificateGenerator.createSelfSigned(
    { ...validity(), name: 'CN=Test authority', keys, extensions: [new BasicConstraintsExtension(true)] },
    webcrypto,
  );
  return {
    root: root.toString('pem'),
    async certify(csr, ...hostnames) {
      const { publicKey } = new Pkcs10CertificateRequest(csr);
      const leaf = await X509CertificateGenerator.create(
        {
          ...validity(),
          subject: '',
          issuer: root.subject,
          publicKey,
          signingKey: keys.privateKey,
          extensions: [
            new SubjectAlternativeNameExtension(
              hostnames.map((value) => ({ type: 'dns' as const, value })),
              true,
            ),
            await AuthorityKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
          ],
        },
        webcrypto,
      );
      return leaf.toString('pem');
    },
  };
}

/** The operator's certificate for these hosts, and its key, in files of these names in the folder. */
export async function writeCertificate(folder: string, authority: Authority, ...hostnames: string[]) {
  const { privateKey, csr } = await createCertificateRequest(hostnames[0] ?? '');
  const certificate = await authority.certify(csr, ...hostnames);
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(cert, certificate);
  const keyObject = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' });
  await writeFile(key, keyObject.export({ type: 'pkcs8', format: 'pem' }));
  return { cert, key, serialNumber: readCertificateChain(certificate).serialNumber };
}
