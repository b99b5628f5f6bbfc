import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from './run-program.js';

/** Paths of PEM files. */
export interface Certificates {
  /** The authority that signed `certificate`. */
  ca: string;
  /** Another authority, which signed nothing. */
  otherCa: string;
  /** Of a server at 127.0.0.1, which is also named localhost. */
  certificate: string;
  key: string;
  /** Both in one file, as mongod wants them. */
  certificateAndKey: string;
}

/** Certificates of a private authority, created in this folder and valid for two days. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const path = (name: string) => join(folder, name);
  const request = (name: string, ...options: string[]) =>
    mustRun('openssl', [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-keyout', path(`${name}.key`), '-out', path(`${name}.pem`), ...options],
    ]);
  const authority = (name: string) =>
    request(name, '-subj', `/CN=${name}`, '-addext', 'keyUsage=critical,keyCertSign');
  await authority('ca');
  await authority('other-ca');
  await request(
    'server',
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-addext', 'basicConstraints=critical,CA:FALSE'],
    ...['-CA', path('ca.pem'), '-CAkey', path('ca.key')],
  );
  const [certificate, key] = [path('server.pem'), path('server.key')];
  const certificateAndKey = path('server-with-key.pem');
  await writeFile(certificateAndKey, (await readFile(certificate, 'utf8')) + (await readFile(key, 'utf8')));
  return { ca: path('ca.pem'), otherCa: path('other-ca.pem'), certificate, key, certificateAndKey };
}
