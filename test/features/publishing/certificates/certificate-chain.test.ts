import { KeyObject, webcrypto } from 'node:crypto';
import {
  isCertificateFor,
  readCertificateChain,
} from '../../../../src/features/publishing/certificates/certificate-chain.js';
import {
  AuthorityKeyIdentifierExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

describe('the ARI identifier of a certificate', () => {
  // RFC 9773, appendix A.
  const example = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----`;

  it('is the one of the RFC for its certificate', () => {
    expect(readCertificateChain(example).ariId).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
  });

  it.each([
    ['01', 'AQ'],
    ['7fff', 'f_8'],
    ['80', 'AIA'],
    ['0a8b', 'Cos'],
    ['f00d', 'APAN'],
  ])('holds the serial number %s as DER does', async (serialNumber, expected) => {
    const { pem } = await certify({ serialNumber, issuerKeyId: 'abcdef' });
    expect(readCertificateChain(pem).ariId).toBe(`q83v.${expected}`);
  });

  it('is absent when the issuer has no key identifier', async () => {
    const { pem } = await certify({});
    expect(readCertificateChain(pem).ariId).toBeUndefined();
  });
});

describe('a certificate', () => {
  it('is valid for its host and its key only', async () => {
    const [mine, other] = [await certify({ hostname: 'shop.example' }), await certify({})];
    const chain = readCertificateChain(mine.pem);
    expect(isCertificateFor(chain, 'shop.example', mine.key)).toBe(true);
    expect(isCertificateFor(chain, 'www.shop.example', mine.key)).toBe(false);
    expect(isCertificateFor(chain, 'shop.example', other.key)).toBe(false);
  });

  it('is not valid for a host that only its common name has, as in browsers', async () => {
    const { pem, key } = await certify({ commonName: 'shop.example' });
    expect(isCertificateFor(readCertificateChain(pem), 'shop.example', key)).toBe(false);
  });

  it('is read with its times, the first of a chain', async () => {
    const [leaf, issuer] = [await certify({ serialNumber: '0b' }), await certify({ serialNumber: '0c' })];
    expect(readCertificateChain(`${leaf.pem}\n${issuer.pem}`)).toMatchObject({
      serialNumber: '0b',
      notBefore: NOT_BEFORE,
      notAfter: NOT_AFTER,
    });
  });

  it.each(['', 'no PEM', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])(
    'is not %j',
    (pem) => {
      expect(() => readCertificateChain(pem)).toThrow();
    },
  );
});

const NOT_BEFORE = new Date('2026-11-21T00:00:00Z');
const NOT_AFTER = new Date('2027-01-05T00:00:00Z');
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

async function certify(wanted: {
  hostname?: string;
  commonName?: string;
  serialNumber?: string;
  issuerKeyId?: string;
}): Promise<{ pem: string; key: KeyObject }> {
  const { hostname, commonName = 'test', serialNumber = '01', issuerKeyId } = wanted;
  const keys = await webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber,
      name: `CN=${commonName}`,
      notBefore: NOT_BEFORE,
      notAfter: NOT_AFTER,
      keys,
      signingAlgorithm: P256,
      extensions: [
        ...(hostname === undefined
          ? []
          : [new SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }])]),
        ...(issuerKeyId === undefined ? [] : [new AuthorityKeyIdentifierExtension(issuerKeyId)]),
      ],
    },
    webcrypto,
  );
  return { pem: certificate.toString('pem'), key: KeyObject.from(keys.privateKey) };
}
