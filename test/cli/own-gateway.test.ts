import { join } from 'node:path';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { runCommand } from '../support/command-line.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { testMongod } from '../support/mongod.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

/** An empty value counts as unset: the database is the embedded one in DATA_DIR. */
const EMBEDDED = { uri: '' };
const folder = useTemporaryFolder();
let gateway: GatewayProcess | undefined;
afterEach(() => gateway?.stop());

const portFinding = async (env: Record<string, string>) => {
  const { stdout } = await runCommand(EMBEDDED, ['doctor', '--json'], env);
  return (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'PORT');
};

test('doctor and open find the gateway of their own data folder, whatever PORT says', async () => {
  const own = { DATA_DIR: join(folder(), 'own'), MONGOD_BINARY: await testMongod() };
  gateway = await startGatewayProcess({ ...own, MONGODB_URI: '', SEED_DEMO: '0' });
  expect(await portFinding({ ...own, PORT: '1' })).toMatchObject({
    verdict: 'ok',
    finding: expect.stringContaining(`is ready at ${gateway.url}`) as string,
  });
  const { code, stdout, stderr } = await runCommand(EMBEDDED, ['open'], { ...own, PORT: '1' });
  expect(stdout.replace(gateway.url, '')).toMatch(/^\/dashboard#sign-in=[\w-]{43}\n$/);
  expect(stderr).toMatch(/^Signs in once, until \S+Z\.\n$/);
  expect(code).toBe(0);

  // A gateway of another data folder is in the way on its port, and is not taken for one's own.
  const other = { ...own, DATA_DIR: join(folder(), 'other'), PORT: new URL(gateway.url).port };
  expect(await portFinding(other)).toMatchObject({
    verdict: 'fault',
    finding: expect.stringContaining('a gateway of another data directory listens') as string,
  });

  await gateway.stop();
  expect(await portFinding({ ...own, PORT: '1' })).toMatchObject({
    verdict: 'ok',
    finding: expect.stringContaining('nothing listens') as string,
  });
  expect(await runCommand(EMBEDDED, ['open'], { ...own, PORT: '1' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'No gateway answers at http://127.0.0.1:1. Start a gateway with',
    ) as string,
  });
});
