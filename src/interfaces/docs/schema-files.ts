import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASE_PATH } from '../../http/versioning/api-version.js';
import type { Operations } from '../../http/versioning/operations.js';
import { describeOperations } from './describe-operations.js';
import { loadYaml } from './load-yaml.js';

/** The paths are the same from src/ and from dist/, and in the package. */
const FOLDER = join(__dirname, '../../../schema');

/** The gateway that the samples in schema/openapi.yaml call. */
export const SAMPLE_GATEWAY = 'http://127.0.0.1:3000';

/** Reads the committed schema/schema.graphql. A test keeps it equal to the running schema. */
export function readSdl(): string {
  return readFileSync(join(FOLDER, 'schema.graphql'), 'utf8');
}

/** Reads the committed schema/openapi.yaml. A test keeps it equal to the declaration of each operation. */
export function readOpenApi(): string {
  return readFileSync(join(FOLDER, 'openapi.yaml'), 'utf8');
}

/**
 * Returns the OpenAPI document, YAML, as this gateway serves it. Serve it with the gateway's own address in place of
 * SAMPLE_GATEWAY. A URL relative to the document would not survive its download, which generators of clients need.
 */
export function servedOpenApi(operations: Operations): string {
  const document = loadYaml().parseDocument(readOpenApi());
  describeOperations(document, operations);
  document.set('servers', [
    { url: SAMPLE_GATEWAY + BASE_PATH, description: 'The gateway that serves this document.' },
  ]);
  return document.toString({ lineWidth: 0 });
}

interface Described {
  headers?: Record<string, { $ref?: string }>;
}
interface OpenApi {
  info: { description: string };
  paths: Record<string, Record<string, { responses: Record<string, Described> }>>;
  components: {
    headers: Record<string, { description: string; example: unknown; 'x-on-every-response'?: true }>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Described>;
  };
}
interface Parameter {
  required?: boolean;
  example?: unknown;
  examples?: Record<string, { value: unknown; 'x-disabled': true }>;
}

/**
 * Returns the OpenAPI document, JSON, as the API reference shows it: the headers that every response has stand once, in
 * the description. The page replaces SAMPLE_GATEWAY by the address that it comes from.
 *
 * "Test Request" of Scalar sends each parameter that has an example. For the optional ones, that would be an old
 * Idempotency-Key and a page that is not the first, so these examples are disabled there.
 */
export function referenceOpenApi(operations: Operations): string {
  const document = loadYaml().parse(servedOpenApi(operations)) as OpenApi;
  const common = Object.entries(document.components.headers).filter(
    ([, header]) => header['x-on-every-response'] === true,
  );
  const rows = common.map(
    ([name, { description, example }]) => `| \`${name}\` | ${description} Example: \`${String(example)}\` |`,
  );
  document.info.description += [
    '\n## Response headers',
    'Every response has these headers. The operations below list only the others.',
    ['| Header | Content |', '| --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
  const responses = [
    ...Object.values(document.components.responses),
    ...Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => Object.values(operation.responses)),
  ];
  for (const { headers } of responses) for (const [name] of common) delete headers?.[name];
  for (const parameter of Object.values(document.components.parameters)) {
    const { required, example } = parameter;
    if (required === true) continue;
    delete parameter.example;
    parameter.examples = { usual: { value: example, 'x-disabled': true } };
  }
  return JSON.stringify(document);
}

export function toJson(yaml: string): string {
  return JSON.stringify(loadYaml().parse(yaml), null, 2);
}
