import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseDocument } from 'yaml';

/** Beside src/ and dist/ alike, and part of the package. */
const FOLDER = join(__dirname, '..', '..', 'schema');

/** schema/schema.graphql as it is committed; a test holds it equal to what runs. */
export function readSdl(): string {
  return readFileSync(join(FOLDER, 'schema.graphql'), 'utf8');
}

/** schema/openapi.yaml as it is committed. */
export function readOpenApi(): string {
  return readFileSync(join(FOLDER, 'openapi.yaml'), 'utf8');
}

/**
 * The OpenAPI document as this gateway serves it. Its server is named relative to the document, so that it is right
 * under whatever name, port and scheme a client came in, through whatever proxy.
 */
export function servedOpenApi(): string {
  const document = parseDocument(readOpenApi());
  document.set('servers', [{ url: '/v1', description: 'The gateway that serves this document.' }]);
  return document.toString({ lineWidth: 0 });
}

export function toJson(yaml: string): string {
  return JSON.stringify(parse(yaml), null, 2);
}
