import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPENAPI_FILE } from '../support/openapi-document.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { goProgram } from '../support/go-program.js';
import { mustRun, runProgram } from '../support/run-program.js';
import { npmPackages } from './provide-tools.js';

const ROOT = join(__dirname, '../..');
const folder = useTemporaryFolder();

// Generated clients take their constants from ErrorCode, which nothing refers to: Error.code takes any code.
// test/schema/openapi.test.ts looks for other components that nothing uses.
const UNUSED_COMPONENTS = { redocly: 'no-unused-components', spectral: 'oas3-unused-component' };

async function linter(name: string): Promise<string> {
  const packages = { '@redocly/cli': '2.77.0', '@stoplight/spectral-cli': '6.16.3' };
  return join(await npmPackages('linters', packages), '.bin', name);
}

test('Redocly has nothing to say about the OpenAPI document', async () => {
  const cwd = folder();
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const args = [
    'lint',
    '--extends=recommended',
    `--skip-rule=${UNUSED_COMPONENTS.redocly}`,
    '--format=json',
    OPENAPI_FILE,
  ];
  const output = await mustRun(await linter('redocly'), args, { cwd, env });
  expect(output).toMatch(/"errors": 0,\s*"warnings": 0,/);
});

test('Spectral has nothing to say about the OpenAPI document', async () => {
  const ruleset = join(folder(), 'spectral.yaml');
  await writeFile(ruleset, `extends: ["spectral:oas"]\nrules:\n  ${UNUSED_COMPONENTS.spectral}: off\n`);
  const args = [
    'lint',
    '--fail-severity=hint',
    '--display-only-failures',
    '--ruleset',
    ruleset,
    OPENAPI_FILE,
  ];
  const { code, output } = await runProgram(await linter('spectral'), args, { cwd: folder() });
  expect(code === 0 ? 'nothing found' : output).toBe('nothing found');
});

test('gitleaks finds no secret in the history', async () => {
  const gitleaks = await goProgram('gitleaks', 'github.com/zricethezav/gitleaks/v8', 'v8.30.1');
  const args = ['git', '--no-banner', '--no-color', '--redact', ROOT];
  const output = await mustRun(gitleaks, args);
  expect(output).toMatch(/[1-9]\d* commits scanned/);
});
