import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmPackages } from '../conformance/provide-tools.js';
import { useGateway } from '../support/gateway.js';
import { mustRun } from '../support/run-program.js';

/** The commands in the section "REST" of docs/generate-a-client.md, one a line, as the page has them. */
const page = readFileSync(join(__dirname, '../../docs/generate-a-client.md'), 'utf8');
const [, rest = ''] = /^## REST$(.*?)(?=^## |(?![\s\S]))/ms.exec(page) ?? [];
const commands = Array.from(rest.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) =>
  block.trim().split('\n'),
).flat();
/** They fetch what the others read. */
const isFetch = (command: string) => /^(?:curl|mvn) /.test(command);

const gateway = useGateway();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-gateway-generators-'));
  for (const command of commands.filter(isFetch))
    await shell(command.replace('http://127.0.0.1:3000', gateway.url));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const shell = (command: string) => mustRun('bash', ['-c', command], { cwd: folder });

/** What the command writes: a file or a folder. */
function outputOf(command: string): string {
  const [, name] = /(?: -o| --output| --output-path| --target) (\S+)/.exec(command) ?? [];
  if (name === undefined) throw new Error(`No output is named: ${command}`);
  return join(folder, name);
}

async function textOf(path: string): Promise<string> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return readFile(path, 'utf8');
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}

async function compileTypeScript(files: string[]): Promise<void> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const modules = await npmPackages('typescript', { typescript: '5.9.3' });
  await mustRun(join(modules, '.bin/tsc'), ['-p', folder]);
}

const COMPILE: Record<string, () => Promise<unknown>> = {
  'schema.ts': () => compileTypeScript(['schema.ts']),
  'hey-api': () => compileTypeScript(['hey-api/index.ts']),
  'orval/pets.ts': () => compileTypeScript(['orval/pets.ts']),
  'typescript-fetch': () => compileTypeScript(['typescript-fetch/index.ts']),
  go: () => mustRun('go', ['build', './...'], { cwd: join(folder, 'go'), env: { GOFLAGS: '-mod=mod' } }),
};

test('the document has the address of the gateway that serves it as its server', async () => {
  expect(await readFile(join(folder, 'openapi.yaml'), 'utf8')).toContain(`- url: ${gateway.url}/v1\n`);
});

test.each(commands.filter((command) => !isFetch(command)))('%s', async (command) => {
  await shell(command);
  const output = outputOf(command);
  expect(await textOf(output)).toMatch(/list_?pets|List all animals/i);
  await COMPILE[output.slice(folder.length + 1)]?.();
});
