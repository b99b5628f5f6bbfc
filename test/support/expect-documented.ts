import { ERROR_STATUS, type ErrorCode } from '../../src/lib/errors.js';
import { parseJson, type JsonValue } from '../../src/lib/parse-json.js';
import {
  faultOf,
  isAlwaysSent,
  openApiDocument,
  resolve,
  type ApiResponse,
  type Header,
  type Operation,
} from './openapi-document.js';

/** What HTTP itself or CORS brings, which no API description lists. */
const TRANSPORT_HEADERS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-content-type-options',
]);

const ANY_TEXT = { type: 'string' };

/** A path below /v1, which is what schema/openapi.yaml is about, except the two that lead to the document. */
export function isDescribed(path: string): boolean {
  return /^\/v1(?!\/openapi\.(?:json|yaml)$)(?:[/?]|$)/.test(path);
}

/**
 * Holds an answer of the REST interface against schema/openapi.yaml: its status is documented for the operation, its
 * body is what the document says, no required header is missing and none is undocumented.
 *
 * @throws Error naming everything that is not so
 */
export async function expectDocumented(method: string, path: string, answer: Response): Promise<void> {
  const operation = operationOf(method, path);
  const faults =
    operation === undefined
      ? await faultsOfNoOperation(method, answer)
      : await faultsOf(operation, method, answer);
  if (faults.length === 0) return;
  const what = operation?.operationId ?? 'no operation';
  throw new Error(
    `${method} ${path} (${what}) answered ${answer.status}, not as in schema/openapi.yaml:\n  ${faults.join('\n  ')}`,
  );
}

function operationOf(method: string, path: string): Operation | undefined {
  const template = matchingPath(path.replace(/^\/v1|\?.*$/gs, ''));
  const operations = template === undefined ? undefined : openApiDocument().paths[template];
  // HEAD is answered as GET, without the body.
  return operations?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
}

function matchingPath(path: string): string | undefined {
  const segments = path.split('/');
  return Object.keys(openApiDocument().paths).find((template) => {
    const parts = template.split('/');
    return (
      parts.length === segments.length &&
      parts.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i]))
    );
  });
}

async function faultsOf({ responses }: Operation, method: string, answer: Response): Promise<string[]> {
  const found = responses[String(answer.status)];
  if (found === undefined) return [`the status is not one of ${Object.keys(responses).join(', ')}`];
  const response = resolve<ApiResponse>(found);
  const documented = new Map(resolvedHeaders(response.headers));
  return [...faultsOfHeaders(documented, answer), ...(await faultsOfBody(response, method, answer))];
}

function faultsOfHeaders(documented: ReadonlyMap<string, Header>, { headers }: Response): string[] {
  const faults: string[] = [];
  for (const [name, header] of documented) {
    const { schema } = header;
    const text = headers.get(name);
    if (text === null && isAlwaysSent(header)) faults.push(`the header ${name} is missing`);
    if (text === null) continue;
    const fault = faultOf(schema, schema.type === 'integer' && /^[0-9]+$/.test(text) ? Number(text) : text);
    if (fault !== undefined) faults.push(`the header ${name}: ${text}: ${fault}`);
  }
  for (const name of headers.keys())
    if (!documented.has(name) && !TRANSPORT_HEADERS.has(name) && !name.startsWith('access-control-'))
      faults.push(`the header ${name} is not documented`);
  return faults;
}

async function faultsOfBody({ content }: ApiResponse, method: string, answer: Response): Promise<string[]> {
  const text = await answer.text();
  if (content === undefined || method === 'HEAD')
    return text === '' ? [] : [`there is a body: ${text.slice(0, 100)}`];
  const type = answer.headers.get('content-type') ?? 'none';
  const mediaType = content[type];
  if (mediaType === undefined)
    return [`the Content-Type ${type} is not one of ${Object.keys(content).join(', ')}`];
  const body = parseJson(text);
  const fault = faultOf(mediaType.schema, withNumbers(body));
  return [...(fault === undefined ? [] : [fault]), ...(answer.ok ? [] : faultsOfError(body, answer.status))];
}

/** A path or a method that the document does not have: the Error object, with the headers of every answer. */
async function faultsOfNoOperation(method: string, answer: Response): Promise<string[]> {
  const { headers = {}, content = {} } = resolve<ApiResponse>({
    $ref: '#/components/responses/InternalError',
  });
  const text = (required: boolean): Header => ({ required, schema: ANY_TEXT });
  const known = new Map([
    ...resolvedHeaders(headers),
    ['allow', text(answer.status === 405)],
    ['accept-patch', text(false)],
    ['www-authenticate', text(answer.status === 401)],
    ['retry-after', text(answer.status === 429 || answer.status === 503)],
  ]);
  const isOptions = method === 'OPTIONS' && answer.status === 204;
  return [
    ...(isOptions || answer.status >= 400 ? [] : ['only an operation can succeed']),
    ...faultsOfHeaders(known, answer),
    ...(await faultsOfBody(isOptions ? {} : { content }, method, answer)),
  ];
}

function resolvedHeaders(headers: ApiResponse['headers'] = {}): [string, Header][] {
  return Object.entries(headers).map(([name, header]) => [name.toLowerCase(), resolve<Header>(header)]);
}

function faultsOfError(body: JsonValue, status: number): string[] {
  const { code, status: stated } = body as { code?: unknown; status?: unknown };
  const faults: string[] = [];
  if (stated !== status) faults.push(`the body says status ${String(stated)}`);
  if (ERROR_STATUS[code as ErrorCode] !== status) faults.push(`${String(code)} is no code of this status`);
  return faults;
}

/** JSON Schema knows numbers only: an integer past 2^53 was checked to be an int64 when it was parsed. */
function withNumbers(value: JsonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumbers(member)]));
}
