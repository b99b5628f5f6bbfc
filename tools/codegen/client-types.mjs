/** Writes src/openapi.ts, the types of schema/openapi.yaml. With --check, fails if the file is out of date instead. */
import { readFile, writeFile } from 'node:fs/promises';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const description = new URL('../../schema/openapi.yaml', import.meta.url);
const types = new URL('../../clients/typescript/src/openapi.ts', import.meta.url);

/** JavaScript numbers are exact only up to 2^53. */
const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);

const ast = await openapiTypeScript(description, {
  alphabetize: true,
  // A request can omit a field that has a default.
  defaultNonNullable: false,
  transform: (schema) => (schema.format === 'int64' ? bigint : undefined),
});
const text = `// Made from schema/openapi.yaml by \`npm run types\` of this package.\n\n${astToString(ast)}`;
if (process.argv.includes('--check')) {
  if ((await readFile(types, 'utf8')) !== text) {
    console.error('src/openapi.ts does not match schema/openapi.yaml. Run: npm run types');
    process.exitCode = 1;
  }
} else await writeFile(types, text);
