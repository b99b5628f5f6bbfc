import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { parseConfig } from '../../src/config/config.js';
import { envFile } from '../support/env-file.js';
import { readmeCommands } from '../support/readme.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const ROOT = join(__dirname, '../..');
const KUBERNETES = join(ROOT, 'deploy/kubernetes');
/** There is no cluster: what is asked of one does nothing, and curl says what it was given. */
const WITHOUT_A_CLUSTER = `set -euo pipefail
docker() { :; }; kubectl() { :; }; cp() { :; }; curl() { printf '%s\\n' "$@"; }
`;

const folder = useTemporaryFolder();

test('docs/kubernetes.md, pasted: the gateway takes the settings, and curl has its host and its key', async () => {
  const pasted = readmeCommands(join(ROOT, 'docs/kubernetes.md')).find(
    ({ heading }) => heading === 'From nothing to an answer',
  );
  const { stdout } = await promisify(execFile)('bash', ['-c', WITHOUT_A_CLUSTER + (pasted?.text ?? '')], {
    cwd: folder(),
    env: { PATH: process.env['PATH'] },
  });

  const secret = envFile(join(folder(), 'secret.env'));
  const { configMapGenerator } = parse(
    await readFile(join(KUBERNETES, 'example/kustomization.yaml'), 'utf8'),
  ) as { configMapGenerator: [{ literals: string[] }] };
  const config = parseConfig({
    ...envFile(join(KUBERNETES, 'base/gateway.env')),
    ...envFile(join(KUBERNETES, 'components/domains/domains.env')),
    ...Object.fromEntries(configMapGenerator[0].literals.map((text) => text.split('=') as [string, string])),
    ...secret,
  });
  const sent = stdout.split('\n');
  expect(sent).toContain(`Authorization: Bearer ${config.adminApiKey ?? ''}`);
  expect(sent).toContain(`Host: ${config.operatorHost ?? ''}`);
});
