import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';

/** A certificate that the operator keeps in files. */
export interface PlatformCertificate {
  /** Whether it names the host, expired or not. */
  isFor(host: string): boolean;
  /** Whether browsers take it for the host now. */
  covers(host: string): boolean;
  expiresAt(): Date;
  context(): SecureContext;
}

export interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

/** Whatever renews the files tells nobody. */
const READ_AGAIN_MS = 60_000;

/**
 * Read again while it is asked for; files that cannot be used any more leave the last good certificate in use.
 * @throws Error at first, when certificate and key cannot be read or are not of each other
 */
export function readPlatformCertificate(
  { certFile, keyFile }: CertificateFiles,
  clock: () => number,
  onError: (error: unknown) => void,
): PlatformCertificate {
  function read() {
    try {
      const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
      return { leaf: new X509Certificate(cert), context: createSecureContext({ cert, key }) };
    } catch (cause) {
      const { message } = cause as Error;
      throw new Error(
        `the certificate in ${certFile} cannot be used with the key in ${keyFile}: ${message}`,
        {
          cause,
        },
      );
    }
  }
  let current = read();
  let readAtMs = clock();

  function latest() {
    if (clock() - readAtMs >= READ_AGAIN_MS) {
      readAtMs = clock();
      try {
        current = read();
      } catch (error) {
        onError(error);
      }
    }
    return current;
  }

  const isFor = (host: string) => latest().leaf.checkHost(host, { subject: 'never' }) !== undefined;
  const expiresAt = () => new Date(latest().leaf.validTo);
  return {
    isFor,
    covers: (host) => isFor(host) && clock() < expiresAt().getTime(),
    expiresAt,
    context: () => latest().context,
  };
}
