import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { useGateway } from '../support/gateway.js';
import { openApiDocument } from '../support/openapi-document.js';
import { mustRun } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { SAMPLE_GATEWAY } from '../../src/interfaces/docs/schema-files.js';

const TYPES = [join(__dirname, '../node_modules/@types'), join(__dirname, '../../node_modules/@types')];
const folder = useTemporaryFolder();
const gateway = useGateway();

interface Sample {
  lang: string;
  source: string;
}

/** Compiles a program with all checks on, for Node alone and for browsers. @returns what the compiler says against it */
function compile(file: string): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noPropertyAccessFromIndexSignature: false,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    types: ['node'],
    typeRoots: TYPES,
    skipLibCheck: true,
  };
  const program = ts.createProgram([file], options);
  program.emit();
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

const FIRST = 'createPet';
const LAST = 'deletePet';
const placeOf = (operationId: string) => ({ [FIRST]: 0, [LAST]: 2 })[operationId] ?? 1;

test('each sample in the OpenAPI document compiles, and does what it shows', async () => {
  const { secret } = await gateway.keyOn('free');
  // createPet first: the others show what it added. deletePet last: it removes that.
  const operations = Object.values(openApiDocument().paths)
    .flatMap((path) => Object.values(path))
    .sort((a, b) => placeOf(a.operationId) - placeOf(b.operationId)) as unknown as {
    operationId: string;
    'x-codeSamples': Sample[];
  }[];
  for (const { operationId, 'x-codeSamples': samples } of operations) {
    expect(samples.map(({ lang }) => lang)).toEqual(['typescript']);
    expect(samples[0]?.source).toContain(SAMPLE_GATEWAY);
    const source = samples[0]?.source.replaceAll(SAMPLE_GATEWAY, gateway.url) ?? '';
    const file = join(folder(), `${operationId}.mts`);
    await writeFile(file, source);
    expect(compile(file)).toEqual([]);
    const output = await mustRun(process.execPath, [file.replace(/\.mts$/, '.mjs')], {
      env: { API_KEY: secret },
    });
    expect(output).toMatch(operationId === LAST ? /^Removed$/m : /id: '1',\s+name: 'Rex',\s+categoryId: '7'/);
  }
});
