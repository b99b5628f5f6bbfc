import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { OPENAPI_FILE } from '../support/openapi-document.js';
import { restClient } from '../support/rest-client.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { goProgram, needs } from '../support/go-program.js';
import { mustRun } from '../support/run-program.js';
import { mavenJar } from './provide-tools.js';

const MAX_INT64 = '9223372036854775807';
const folder = useTemporaryFolder();
let gateway: TestGateway;
let env: { BASE_URL: string; API_KEY: string };

beforeEach(async () => {
  gateway = await startGateway();
  const { secret } = await restClient(gateway);
  env = { BASE_URL: `${gateway.url}/v1`, API_KEY: secret };
});
afterEach(() => gateway.close());

test('a Go client made by oapi-codegen lists, creates and reads with exact int64', async () => {
  const generator = await goProgram(
    'oapi-codegen',
    'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen',
    'v2.8.2',
  );
  const cwd = folder();
  const go = { cwd, env: { ...env, GOFLAGS: '-mod=mod' } };
  const generated = join(cwd, 'client.gen.go');
  await mustRun(generator, ['-generate', 'types,client', '-package', 'main', '-o', generated, OPENAPI_FILE]);
  await writeFile(join(cwd, 'go.mod'), 'module client\n\ngo 1.24\n');
  await copyFile(join(__dirname, 'clients/main.go'), join(cwd, 'main.go'));
  await mustRun('go', ['get', 'github.com/oapi-codegen/runtime@v1.8.0'], go);
  await mustRun('go', ['build', '-o', 'client', '.'], go);

  const output = await mustRun(join(cwd, 'client'), [], go);
  const pet = `1 Gopher ${MAX_INT64} available`;
  expect(output.trim().split('\n')).toEqual([pet, pet, pet, '400 invalid_request']);
});

test('a Java client made by openapi-generator lists, creates and reads with exact int64', async () => {
  await needs('javac', ['-version'], 'apt-get install -y --no-install-recommends openjdk-17-jdk-headless');
  const jar = await mavenJar('org.openapitools', 'openapi-generator-cli', '7.25.0');
  const cwd = folder();
  const client = ['-g', 'java', '--library', 'native', '-o', cwd];
  await mustRun('java', ['-jar', jar, 'generate', '-i', OPENAPI_FILE, ...client]);
  const sources = join(cwd, 'src/main/java');
  await mkdir(sources, { recursive: true });
  await copyFile(join(__dirname, 'clients/Main.java'), join(sources, 'Main.java'));
  const goals = ['compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'];
  await mustRun('mvn', ['--batch-mode', '--quiet', ...goals], { cwd });

  const classpath = `target/classes:${await readFile(join(cwd, 'classpath'), 'utf8')}`;
  const output = await mustRun('java', ['-cp', classpath, 'Main'], { cwd, env });
  const pet = `1 Duke ${MAX_INT64} available`;
  expect(output.trim().split('\n')).toEqual([pet, pet, pet, '400']);
});
