/** Writes src/openapi.ts, the types of schema/openapi.yaml; with --check it only says whether they are those. */
import { readFile, writeFile } from 'node:fs/promises';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const description = new URL('../../../schema/openapi.yaml', import.meta.url);
const types = new URL('../src/openapi.ts', import.meta.url);

/** A number of JavaScript is exact up to 2^53 only. */
const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);

const ast = await openapiTypeScript(description, {
  alphabetize: true,
  // What has a default may be left out of a request.
  defaultNonNullable: false,
  transform: (schema) => (schema.format === 'int64' ? bigint : undefined),
});
const text = `// Made from schema/openapi.yaml by \`npm run types\` of this package.\n\n${astToString(ast)}`;
if (process.argv.includes('--check')) {
  if ((await readFile(types, 'utf8')) !== text) {
    console.error('src/openapi.ts is not that of schema/openapi.yaml: npm run types');
    process.exitCode = 1;
  }
} else await writeFile(types, text);
