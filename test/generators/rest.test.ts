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
  const [, orvalConfig = ''] = /^```js\n(.*?)^```$/ms.exec(rest) ?? [];
  await writeFile(join(folder, 'orval.config.mjs'), orvalConfig);
  for (const command of commands.filter(isFetch))
    await shell(command.replace('http://127.0.0.1:3000', gateway.url));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const shell = (command: string) => mustRun('bash', ['-c', command], { cwd: folder });

/** What the command writes: a file or a folder. */
function outputOf(command: string): string {
  if (command.includes('orval.config.mjs')) return join(folder, 'orval/pets.ts');
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

interface PostmanParameter {
  key: string;
  value: string;
  disabled?: boolean;
}
interface PostmanFolder {
  item?: PostmanFolder[];
  request?: {
    header: PostmanParameter[];
    url: { query?: PostmanParameter[]; variable?: PostmanParameter[] };
  };
}

/** Each parameter has an example, and only what a request needs is sent. */
async function expectExamples(): Promise<void> {
  const collection = JSON.parse(await readFile(join(folder, 'postman.json'), 'utf8')) as PostmanFolder & {
    variable: PostmanParameter[];
  };
  const parametersOf = ({ item = [], request }: PostmanFolder): PostmanParameter[] => [
    ...(request === undefined
      ? []
      : [...request.header, ...(request.url.query ?? []), ...(request.url.variable ?? [])]),
    ...item.flatMap(parametersOf),
  ];
  const parameters = parametersOf(collection);
  expect(parameters.filter(({ value }) => /^<.*>$|^$/.test(value))).toEqual([]);
  const sent = parameters.filter(({ disabled }) => disabled !== true).map(({ key }) => key);
  expect([...new Set(sent)].sort()).toEqual(['Accept', 'Content-Type', 'petId']);
  expect(collection.variable.map(({ key }) => key)).toEqual(['baseUrl']);
}

async function expectFullUrl(): Promise<void> {
  await compileTypeScript(['orval/pets.ts']);
  expect(await readFile(join(folder, 'orval/pets.ts'), 'utf8')).toContain(`\`${gateway.url}/v1/pets`);
}

async function buildGo(): Promise<void> {
  const cwd = join(folder, 'go');
  expect(await readFile(join(cwd, 'go.mod'), 'utf8')).toMatch(/^module github\.com\/example\/pets-client$/m);
  await mustRun('go', ['build', './...'], { cwd, env: { GOFLAGS: '-mod=mod' } });
}

const COMPILE: Record<string, () => Promise<unknown>> = {
  'schema.ts': () => compileTypeScript(['schema.ts']),
  'hey-api': () => compileTypeScript(['hey-api/index.ts']),
  'orval/pets.ts': expectFullUrl,
  'typescript-fetch': () => compileTypeScript(['typescript-fetch/index.ts']),
  go: buildGo,
  pets_client: () =>
    mustRun('.venv/bin/python', ['-c', 'from pets_client import AuthenticatedClient'], { cwd: folder }),
  'postman.json': expectExamples,
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
