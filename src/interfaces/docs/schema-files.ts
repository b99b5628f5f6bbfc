import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseDocument } from 'yaml';
import { BASE_PATH } from '../../http/versioning/api-version.js';
import type { Operations } from '../../http/versioning/operation.js';
import { describeOperations } from './describe-operations.js';

/** Beside src/ and dist/ alike, and part of the package. */
const FOLDER = join(__dirname, '../../../schema');

/** schema/schema.graphql as it is committed; a test holds it equal to what runs. */
export function readSdl(): string {
  return readFileSync(join(FOLDER, 'schema.graphql'), 'utf8');
}

/** schema/openapi.yaml as it is committed; a test holds it equal to what is declared of each operation. */
export function readOpenApi(): string {
  return readFileSync(join(FOLDER, 'openapi.yaml'), 'utf8');
}

/**
 * The OpenAPI document as this gateway serves it. Its server is named relative to the document, so that it is right
 * under whatever name, port and scheme a client came in, through whatever proxy.
 */
export function servedOpenApi(operations: Operations): string {
  const document = parseDocument(readOpenApi());
  describeOperations(document, operations);
  document.set('servers', [{ url: BASE_PATH, description: 'The gateway that serves this document.' }]);
  return document.toString({ lineWidth: 0 });
}

export function toJson(yaml: string): string {
  return JSON.stringify(parse(yaml), null, 2);
}
