import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';

/** A certificate that the operator provides as files. */
export interface PlatformCertificate {
  /** Whether the certificate names the host, even if it expired. */
  isFor(host: string): boolean;
  /** Whether browsers accept the certificate for the host now. */
  covers(host: string): boolean;
  expiresAt(): Date;
  context(): SecureContext;
}

export interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

/** No signal arrives when the files are renewed, so they are read again at this interval. */
const READ_AGAIN_MS = 60_000;

/**
 * Reads the files, and reads them again as the certificate is used. If new files are unusable, the last good
 * certificate stays in use and `onError` gets the error.
 * @throws Error on the first read if the certificate or the key is unreadable, or they do not match
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
