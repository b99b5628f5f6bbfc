import { createPrivateKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { createCertificateRequest } from '../../src/features/publishing/certificates/issuance.js';
import { chooseFreePort } from '../support/free-port.js';
import { createAuthority, type Authority } from '../support/authority.js';
import { freshDatabase } from '../support/database.js';
import { failGatewayProcess, startGatewayProcess } from '../support/gateway-process.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const OPERATOR_HOST = 'api.localhost';
const folder = useTemporaryFolder();
let authority: Authority;

/** A gateway with ports for visitors, and a certificate of the operator's own host. */
async function settings(): Promise<Record<string, string>> {
  authority = await createAuthority();
  const { privateKey, csr } = await createCertificateRequest(OPERATOR_HOST);
  const key = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' });
  const [certFile, keyFile] = [join(folder(), 'cert.pem'), join(folder(), 'key.pem')];
  await writeFile(certFile, await authority.certify(csr, OPERATOR_HOST));
  await writeFile(keyFile, key.export({ type: 'pkcs8', format: 'pem' }));
  return {
    PUBLIC_URL: `https://${OPERATOR_HOST}`,
    PLATFORM_HOST: 'pets.localhost',
    HTTP_PORT: String(await chooseFreePort()),
    HTTPS_PORT: String(await chooseFreePort()),
    PLATFORM_TLS_CERT_FILE: certFile,
    PLATFORM_TLS_KEY_FILE: keyFile,
  };
}

/** On a connection of its own, so that whichever worker is next answers. */
function statusOverHttps(port: string): Promise<number> {
  const agent = new Agent({ ca: authority.root, maxCachedSessions: 0 });
  const target = { host: '127.0.0.1', port, servername: OPERATOR_HOST, path: '/v1/pets', agent };
  return new Promise((resolve, reject) => {
    const headers = { host: OPERATOR_HOST };
    request({ ...target, headers }, (res) => {
      res.resume();
      resolve(res.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

test.each(['1', '2'])(
  'WORKERS=%s: all workers answer on every port, and a stop ends all',
  async (workers) => {
    const database = freshDatabase();
    const env = await settings();
    const gateway = await startGatewayProcess({ ...env, WORKERS: workers, MONGODB_URI: database.uri });
    try {
      expect(gateway.output()).toContain('Open the address in PUBLIC_URL.');
      const statuses = await Promise.all(
        Array.from({ length: 8 }, () => statusOverHttps(env['HTTPS_PORT'] ?? '')),
      );
      expect(new Set(statuses)).toEqual(new Set([401]));
      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          fetch(`http://127.0.0.1:${env['HTTP_PORT'] ?? ''}/health/live`, {
            headers: { connection: 'close' },
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
      expect(await gateway.stop()).toBe(0);
    } finally {
      await gateway.stop('SIGKILL');
      await database.drop();
    }
  },
);

test('a port in use stops the start, and the message names its setting', async () => {
  const env = await settings();
  const database = freshDatabase();
  const first = await startGatewayProcess({ ...env, MONGODB_URI: database.uri });
  try {
    const second = { ...env, HTTP_PORT: String(await chooseFreePort()), MONGODB_URI: database.uri };
    const { code, output } = await failGatewayProcess(second);
    expect(code).toBe(1);
    expect(output).toContain(`cannot listen on 127.0.0.1:${env['HTTPS_PORT'] ?? ''}`);
    expect(output).toContain('set HTTPS_PORT');
  } finally {
    await first.stop();
    await database.drop();
  }
});
