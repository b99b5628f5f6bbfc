import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import parsed from '../../schema/openapi.yaml';

/** As much of an OpenAPI 3.1 document as tests look at. */
export interface OpenApiDocument {
  info: { version: string };
  servers: { url: string; variables?: Record<string, { default: string }> }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<'parameters' | 'headers' | 'responses' | 'schemas', Record<string, unknown>>;
}
export interface Operation {
  operationId: string;
  parameters?: (Reference | Parameter)[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, Reference | ApiResponse>;
}
export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: unknown;
  example?: unknown;
}
export interface ApiResponse {
  headers?: Record<string, Reference | Header>;
  content?: Record<string, MediaType>;
}
export interface Header {
  /** A client can rely on it, whatever is between it and the gateway. */
  required?: boolean;
  /** The gateway sends it with each response that has it in the document; a proxy may remove it. */
  'x-always-sent'?: true;
  /** As x-always-sent, and each response has it. */
  'x-on-every-response'?: true;
  schema: { type?: string };
  example?: unknown;
}
interface MediaType {
  schema: Reference;
  examples?: Record<string, { value: unknown }>;
}
interface Reference {
  $ref: string;
}

/** Whether the gateway may leave the header out of a response that has it in the document. */
export function isAlwaysSent(header: Header): boolean {
  return (
    header.required === true || header['x-always-sent'] === true || header['x-on-every-response'] === true
  );
}

export const OPENAPI_FILE = join(__dirname, '../../schema/openapi.yaml');

export function openApiDocument(): OpenApiDocument {
  return parsed as OpenApiDocument;
}

/** What stands at `#/a/b`, or the value itself when it is no reference. */
export function resolve<T extends object>(value: Reference | T): T {
  if (!('$ref' in value)) return value;
  const found = value.$ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], openApiDocument());
  return found as T;
}

let ajv: Ajv | undefined;
const checks = new WeakMap<object, ValidateFunction>();

/** What is wrong with a value by a schema of the document; undefined when nothing is. */
export function faultOf(schema: object, value: unknown): string | undefined {
  ajv ??= createAjv();
  const check = checks.get(schema) ?? compile(ajv, schema);
  checks.set(schema, check);
  return check(value) ? undefined : ajv.errorsText(check.errors, { dataVar: 'it' });
}

/** References in a part of the document are to the document. */
function compile(ajv: Ajv, schema: object): ValidateFunction {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object);
}

function createAjv(): Ajv {
  const made = addFormats(new Ajv({ allErrors: true, strict: true, strictTypes: false }));
  made.addVocabulary(['components', 'x-extensible-enum']);
  const { schemas } = openApiDocument().components;
  return made.addSchema({ $id: 'openapi', components: { schemas } });
}
