import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SAMPLE_GATEWAY } from '../../src/interfaces/docs/schema-files.js';
import { useGateway } from '../support/gateway.js';
import { CACHE } from '../support/go-program.js';
import { mustRun } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const ROOT = join(__dirname, '../..');
const PAGE = join(ROOT, 'docs/generate-a-client.md');
/** A double would round it to …992. */
const ID = 2n ** 53n + 1n;
const CREATED_AT = '2026-01-02T03:04:05.678Z';

interface Tool {
  /** Its heading on the page. */
  title: string;
  /** Files of graphql/, and where the project has them. */
  files: Record<string, string>;
  /** What a project of this language has before. */
  before?: Record<string, string>;
  /** Shell commands that compile and run the program; `$ID` is its argument. */
  run: string;
}

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    module: 'commonjs',
    esModuleInterop: true,
    target: 'es2022',
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    skipLibCheck: true,
  },
  include: ['src'],
});
const TSC = `"${process.execPath}" "${join(ROOT, 'node_modules/typescript/bin/tsc')}"`;
const COMPILE_TYPESCRIPT = `${TSC} --project tsconfig.test.json && "${process.execPath}" src/main.js "$ID"`;
const typescript = (title: string, program: string): Tool => ({
  title,
  files: { [program]: 'src/main.ts', 'send.ts.txt': 'src/send.ts' },
  before: {
    'package.json': '{"private":true}',
    'tsconfig.test.json': TSCONFIG,
  },
  run: COMPILE_TYPESCRIPT,
});

const TOOLS: Tool[] = [
  {
    ...typescript('GraphQL Code Generator (TypeScript)', 'codegen.ts.txt'),
    // A new project of Vite is compiled like this.
    run: `${TSC} --project tsconfig.test.json --noEmit --module esnext --moduleResolution bundler --verbatimModuleSyntax\n${COMPILE_TYPESCRIPT}`,
  },
  typescript('gql.tada (TypeScript)', 'gql-tada.ts.txt'),
  {
    ...typescript('Relay (TypeScript)', 'relay.ts.txt'),
    // The compiler names each operation after its file.
    files: { 'relay.ts.txt': 'src/animals.ts', 'send.ts.txt': 'src/send.ts' },
    run: COMPILE_TYPESCRIPT.replace('src/main.js', 'src/animals.js'),
  },
  {
    title: 'genqlient (Go)',
    files: { 'genqlient.go.txt': 'main.go' },
    before: { 'go.mod': 'module client\n\ngo 1.24\n' },
    run: 'go mod tidy && go run . "$ID"',
  },
  {
    title: 'ariadne-codegen (Python)',
    files: { 'ariadne.py.txt': 'main.py' },
    run: 'python main.py "$ID"',
  },
  {
    title: 'graphql_client (Rust)',
    files: { 'graphql-client.rs.txt': 'src/main.rs' },
    before: { 'Cargo.toml': '[package]\nname = "client"\nversion = "0.1.0"\nedition = "2021"\n' },
    run: 'cargo run --quiet "$ID"',
  },
];

const folder = useTemporaryFolder();
const gateway = useGateway();
let page: string;
beforeAll(async () => {
  page = await readFile(PAGE, 'utf8');
  const pet = { name: 'Ada', categoryId: ID, status: 'available', createdAt: new Date(CREATED_AT) } as const;
  await gateway.services.petsStore.insert({ id: ID, ...pet });
});

test.each(TOOLS)('$title: the files and commands of the page make a client with exact ids', async (tool) => {
  const { secret } = await gateway.keyOn('pro');
  const intro = partOf('## GraphQL');
  const part = partOf(`### ${tool.title}`);
  for (const [name, text] of [...Object.entries(tool.before ?? {}), ...filesOf(intro), ...filesOf(part)])
    await write(name, text);
  for (const [file, path] of Object.entries(tool.files)) {
    await mkdir(join(folder(), dirname(path)), { recursive: true });
    await copyFile(join(__dirname, 'graphql', file), join(folder(), path));
  }
  const env = {
    API_KEY: secret,
    GRAPHQL_URL: `${gateway.url}/graphql`,
    ID: String(ID),
    GOFLAGS: '-mod=mod',
    // A run compiles the crates only if an earlier one has not.
    CARGO_TARGET_DIR: join(CACHE, 'cargo'),
  };
  const shell = (script: string) =>
    mustRun('bash', ['-euc', script], { cwd: folder(), env, timeoutMs: 600_000 });

  const environment = tool.title.includes('Python') ? 'python3 -m venv .venv && . .venv/bin/activate' : ':';
  await shell(commandsOf(intro).replaceAll(SAMPLE_GATEWAY, gateway.url));
  await shell(`${environment}\n${commandsOf(part)}`);
  const output = await shell(`${environment}\n${tool.run}`);
  expect(output.trim().split('\n')).toEqual([`${ID} ${ID} ${CREATED_AT}`, `added ${ID}`]);
});

/** The text under a heading, up to the next one. */
function partOf(heading: string): string {
  const [, rest] = page.split(`\n${heading}\n`);
  if (rest === undefined) throw new Error(`docs/generate-a-client.md has no heading "${heading}"`);
  return rest.split(/\n##/)[0] ?? '';
}

/** The files of a part: each block whose sentence before it ends with the file's name. */
function filesOf(part: string): [name: string, text: string][] {
  const blocks = part.matchAll(/`([\w./-]+)`:\n\n```(?!sh\n)\w+\n(.*?)\n```/gs);
  return Array.from(blocks, ([, name = '', text = '']) => [name, text]);
}

function commandsOf(part: string): string {
  const blocks = Array.from(part.matchAll(/```sh\n(.*?)\n```/gs), ([, commands = '']) => commands);
  if (blocks.length === 0) throw new Error(`there is no command in: ${part}`);
  return blocks.join('\n');
}

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder(), name)), { recursive: true });
  await writeFile(join(folder(), name), text);
}
