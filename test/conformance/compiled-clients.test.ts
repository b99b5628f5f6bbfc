import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGateway } from '../support/gateway.js';
import { OPENAPI_FILE } from '../support/openapi-document.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { goProgram, needs } from '../support/go-program.js';
import { mustRun } from '../support/run-program.js';
import { LATER_CODE, laterRelease } from './later-release.js';
import { mavenJar, openapiPythonClient } from './provide-tools.js';

const CLIENTS = join(__dirname, 'clients');
const MAX_INT64 = '9223372036854775807';
const folder = useTemporaryFolder();

type Run = (env: { BASE_URL: string; API_KEY: string }) => Promise<string>;

/**
 * Runs a program that lists, creates and reads, sends one faulty request and one beyond its quota: at this release, and
 * at a later one, which differs in everything that docs/versioning.md calls harmless.
 */
async function expectOfBothReleases(run: Run, name: string, rejected: string): Promise<void> {
  expect(await outputOf(run, (url) => Promise.resolve({ url, close: () => Promise.resolve() }))).toEqual(
    expected(name, rejected, 'rate_limit_exceeded'),
  );
  expect(await outputOf(run, laterRelease)).toEqual(expected(name, rejected, LATER_CODE));
}

async function outputOf(run: Run, before: typeof laterRelease): Promise<string[]> {
  const gateway = await startGateway();
  const release = await before(gateway.url);
  try {
    const quota = { requestsPerMinute: 4, requestsPerDay: 1000 };
    const { secret } = await gateway.keyOn('enterprise', quota);
    return (await run({ BASE_URL: `${release.url}/v1`, API_KEY: secret })).trim().split('\n');
  } finally {
    await release.close();
    await gateway.close();
  }
}

function expected(name: string, rejected: string, code: string): unknown[] {
  const pet = `1 ${name} ${MAX_INT64} available`;
  return [pet, pet, pet, rejected, expect.stringMatching(`^429 ${code} [1-9][0-9]?$`)];
}

async function buildGo(cwd: string, program: string, packages: string[]): Promise<Run> {
  const go = { cwd, env: { GOFLAGS: '-mod=mod' } };
  await writeFile(join(cwd, 'go.mod'), 'module client\n\ngo 1.25\n');
  await copyFile(join(CLIENTS, program), join(cwd, 'main.go'));
  await mustRun('go', ['get', ...packages], go);
  await mustRun('go', ['build', '-o', 'client', '.'], go);
  return (env) => mustRun(join(cwd, 'client'), [], { cwd, env });
}

async function openapiGenerator(client: string[]): Promise<void> {
  const jar = await mavenJar('org.openapitools', 'openapi-generator-cli', '7.25.0');
  await mustRun('java', ['-jar', jar, 'generate', '-i', OPENAPI_FILE, ...client]);
}

test('a Go client made by oapi-codegen has exact int64, and takes what a later release sends', async () => {
  const generator = await goProgram(
    'oapi-codegen',
    'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen',
    'v2.8.2',
  );
  const cwd = folder();
  const generated = join(cwd, 'client.gen.go');
  await mustRun(generator, ['-generate', 'types,client', '-package', 'main', '-o', generated, OPENAPI_FILE]);
  const run = await buildGo(cwd, 'main.go', ['github.com/oapi-codegen/runtime@v1.8.0']);
  await expectOfBothReleases(run, 'Gopher', '400 invalid_request');
});

test('a Go client made by ogen has exact int64, and takes what a later release sends', async () => {
  const generator = await goProgram('ogen', 'github.com/ogen-go/ogen/cmd/ogen', 'v1.25.0');
  const cwd = folder();
  await mustRun(generator, ['--target', join(cwd, 'pets'), '--package', 'pets', '--clean', OPENAPI_FILE]);
  const run = await buildGo(cwd, 'ogen/main.go', ['github.com/ogen-go/ogen@v1.25.0', 'client/pets']);
  await expectOfBothReleases(run, 'Gopher', '404 pet_not_found');
});

test('a Go client made by openapi-generator has exact int64, and takes what a later release sends', async () => {
  const page = await readFile(join(__dirname, '../../docs/generate-a-client.md'), 'utf8');
  const [, switches = ''] = /-g go (.+) -o go$/m.exec(page) ?? [];
  const cwd = folder();
  await openapiGenerator(['-g', 'go', ...switches.split(' '), '-o', cwd]);
  await mkdir(join(cwd, 'program'));
  await copyFile(join(CLIENTS, 'openapi-generator/main.go'), join(cwd, 'program/main.go'));
  await mustRun('go', ['build', '-o', 'client', './program'], { cwd, env: { GOFLAGS: '-mod=mod' } });
  await expectOfBothReleases(
    (env) => mustRun(join(cwd, 'client'), [], { cwd, env }),
    'Gopher',
    '400 invalid_request',
  );
});

test('a Java client made by openapi-generator has exact int64, and takes what a later release sends', async () => {
  await needs('javac', ['-version'], 'apt-get install -y --no-install-recommends openjdk-17-jdk-headless');
  const cwd = folder();
  await openapiGenerator(['-g', 'java', '--library', 'native', '-o', cwd]);
  const sources = join(cwd, 'src/main/java');
  await mkdir(sources, { recursive: true });
  await copyFile(join(CLIENTS, 'Main.java'), join(sources, 'Main.java'));
  const goals = ['compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'];
  await mustRun('mvn', ['--batch-mode', '--quiet', ...goals], { cwd });

  const classpath = `target/classes:${await readFile(join(cwd, 'classpath'), 'utf8')}`;
  const run: Run = (env) => mustRun('java', ['-cp', classpath, 'Main'], { cwd, env });
  await expectOfBothReleases(run, 'Duke', '400 invalid_request');
});

test('a Python client made by openapi-python-client has exact int64, and takes what a later release sends', async () => {
  const python = await openapiPythonClient();
  const cwd = folder();
  const target = ['--meta', 'none', '--output-path', join(cwd, 'pets_client')];
  await mustRun(python, ['-m', 'openapi_python_client', 'generate', '--path', OPENAPI_FILE, ...target], {
    cwd,
  });
  await copyFile(join(CLIENTS, 'main.py'), join(cwd, 'main.py'));
  await expectOfBothReleases(
    (env) => mustRun(python, ['main.py'], { cwd, env }),
    'Guido',
    '400 invalid_request',
  );
});
