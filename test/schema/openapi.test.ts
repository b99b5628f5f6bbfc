import { readFile } from 'node:fs/promises';
import { parse, parseDocument } from 'yaml';
import { describeOperations } from '../../src/interfaces/docs/describe-operations.js';
import { SAMPLE_GATEWAY } from '../../src/interfaces/docs/schema-files.js';
import { PAGE_SIZE } from '../../src/lib/page-size.js';
import { PET_STATUSES } from '../../src/features/pets/pet.js';
import { parseNewPet } from '../../src/features/pets/parse-new-pet.js';
import { ERROR_STATUS } from '../../src/lib/errors.js';
import { BASE_PATH } from '../../src/http/versioning/api-version.js';
import { OPERATIONS } from '../../src/http/versioning/operations.js';
import { writeFormatted } from '../support/format-file.js';
import {
  faultOf,
  OPENAPI_FILE,
  openApiDocument,
  resolve,
  type ApiResponse,
  type Header,
  type Parameter,
} from '../support/openapi-document.js';

const document = openApiDocument();
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
);
const schema = (name: string) => document.components.schemas[name] as Record<string, unknown>;

it('has the three operations of the specification, and the two that change and remove a pet', () => {
  expect(operations.map(({ operationId, method, path }) => `${operationId}: ${method} ${path}`)).toEqual([
    'listPets: get /pets',
    'createPet: post /pets',
    'getPet: get /pets/{petId}',
    'updatePet: patch /pets/{petId}',
    'deletePet: delete /pets/{petId}',
  ]);
});

it('says what is declared of each operation (UPDATE_SCHEMA=1 rewrites it)', async () => {
  const committed = await readFile(OPENAPI_FILE, 'utf8');
  const described = parseDocument(committed);
  describeOperations(described, OPERATIONS);
  if (process.env['UPDATE_SCHEMA'] === '1')
    await writeFormatted(OPENAPI_FILE, described.toString({ lineWidth: 120 }));
  expect(parse(await readFile(OPENAPI_FILE, 'utf8'))).toEqual(described.toJS());
});

it('has servers that end with the version, of which the first is an address that generated clients can use', () => {
  const { servers } = document;
  expect(servers[0]).toEqual({
    url: `${SAMPLE_GATEWAY}${BASE_PATH}`,
    description: expect.any(String) as string,
  });
  const addresses = servers.map(({ url, variables = {} }) => Object.values(variables)[0]?.default ?? url);
  expect(addresses).toEqual([
    `http://127.0.0.1:3000${BASE_PATH}`,
    `http://127.0.0.1:3000${BASE_PATH}`,
    `http://127.0.0.1:3001${BASE_PATH}`,
  ]);
});

it('has the error codes, statuses, page sizes and dates of the code', () => {
  const codes = Object.keys(ERROR_STATUS);
  expect(schema('ErrorCode')['enum']).toEqual(codes);
  expect(schema('Error')['properties']).toMatchObject({ code: { 'x-extensible-enum': codes } });
  expect(schema('Error')['properties']).not.toHaveProperty('code.enum');
  expect(schema('PetStatus')['enum']).toEqual(PET_STATUSES);
  expect(document.components.parameters['Limit']).toMatchObject({ schema: PAGE_SIZE });
  expect(operations.find(({ operationId }) => operationId === 'getPet')).toMatchObject({
    deprecated: true,
    'x-deprecated-reason': expect.stringMatching(/^getPet is removed on 5 December 2030\. Use /) as string,
    'x-sunset': '2030-12-05',
  });
  const { deprecatedMs = NaN, sunsetMs = NaN } = OPERATIONS.rest.getPet.deprecation ?? {};
  expect(document.components.headers).toMatchObject({
    Deprecation: { example: `@${deprecatedMs / 1000}` },
    Sunset: { example: new Date(sunsetMs).toUTCString() },
  });
});

it('requires of responses only what a proxy leaves as it is, and limits no value that one may change', () => {
  const headers = Object.entries(document.components.headers) as [string, Header & Record<string, unknown>][];
  expect(headers.filter(([, { required }]) => required === true).map(([name]) => name)).toEqual([
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'NoneRemaining',
    'Retry-After',
    'WWW-Authenticate',
  ]);
  const limited = headers.filter(([, { schema }]) => 'pattern' in schema || 'enum' in schema);
  expect(limited.map(([name]) => name)).toEqual(['ETag', 'Deprecation', 'Idempotency-Replayed']);
  const { schema: etag } = document.components.headers['ETag'] as Header;
  for (const value of ['"a"', 'W/"a"', '"a-gzip"']) expect(faultOf(etag, value)).toBeUndefined();
});

it('uses each component, except ErrorCode, from which generated clients take their constants', () => {
  const text = JSON.stringify(document);
  const names = Object.entries(document.components).flatMap(([kind, components]) =>
    Object.keys(components).map((name) => `#/components/${kind}/${name}`),
  );
  const unused = names.filter((name) => !text.includes(`"${name}"`));
  expect(unused).toEqual(['#/components/securitySchemes/apiKey', '#/components/schemas/ErrorCode']);
});

it('gives each error of an operation a description that begins with its codes', () => {
  for (const { operationId, responses } of operations)
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const { description = '' } = resolve(response) as { description?: string };
      const codes = Array.from(description.matchAll(/`([a-z_]+)`/g), ([, code]) => code ?? '');
      const ofStatus = codes.filter(
        (code) => ERROR_STATUS[code as keyof typeof ERROR_STATUS] === Number(status),
      );
      expect({ operationId, status, first: codes[0] }).toEqual({ operationId, status, first: ofStatus[0] });
    }
});

it('gives every response the headers that are marked so, and marks those that every response has', () => {
  const responses = operations.flatMap((operation) => Object.values(operation.responses));
  const headers = responses.map((response) => Object.keys(resolve<ApiResponse>(response).headers ?? {}));
  const all = Object.entries(document.components.headers) as [string, Header & Record<string, unknown>][];
  const marked = all.filter(([, header]) => header['x-on-every-response'] === true).map(([name]) => name);
  const onEvery = all.map(([name]) => name).filter((name) => headers.every((names) => names.includes(name)));
  expect(marked).toEqual(onEvery);
  expect(marked.length).toBeGreaterThan(0);
});

describe('every example is as its schema says', () => {
  const bodies = operations.flatMap(({ operationId, responses, requestBody }) => [
    ...Object.entries(responses).map(
      ([status, response]) => [`${operationId} ${status}`, resolve<ApiResponse>(response).content] as const,
    ),
    ...(requestBody === undefined ? [] : [[`${operationId} request`, requestBody.content] as const]),
  ]);

  it.each(bodies.filter(([, content]) => content !== undefined))('%s', (_, content) => {
    const { schema: bodySchema, examples } = content?.['application/json'] ?? {};
    expect(Object.keys(examples ?? {})).not.toEqual([]);
    for (const { value } of Object.values(examples ?? {}))
      expect(bodySchema && faultOf(bodySchema, value)).toBeUndefined();
  });

  it('an error has the address of its code', () => {
    const errors = bodies
      .flatMap(([, content]) => Object.values(content?.['application/json']?.examples ?? {}))
      .map(({ value }) => value as { code?: string; docUrl?: string })
      .filter(({ code }) => code !== undefined);
    expect(errors.length).toBeGreaterThan(20);
    expect(errors.map(({ docUrl }) => docUrl)).toEqual(
      errors.map(({ code }) => `${SAMPLE_GATEWAY}/docs/errors#${code}`),
    );
  });

  it.each(Object.entries(document.components.headers) as [string, Header][])('header %s', (_, header) => {
    expect(header.example).toBeDefined();
    expect(faultOf(header.schema, header.example)).toBeUndefined();
  });

  it.each(Object.entries(document.components.parameters) as [string, Parameter][])(
    'parameter %s',
    (_, parameter) => {
      expect(parameter.example).toBeDefined();
      expect(faultOf(parameter.schema as object, parameter.example)).toBeUndefined();
    },
  );

  it('the headers of a 429 are those of a used-up window', () => {
    const { headers = {} } = resolve<ApiResponse>({ $ref: '#/components/responses/TooManyRequests' });
    const examples = Object.entries(headers).map(([name, header]) => [name, resolve<Header>(header).example]);
    expect(Object.fromEntries(examples)).toMatchObject({
      'Retry-After': 12,
      'X-RateLimit-Remaining': 0,
      RateLimit: expect.stringMatching(/^"minute";r=0;t=12,/) as string,
      'Cache-Control': 'no-store',
    });
  });
});

describe('NewPet says what the code accepts', () => {
  const isAccepted = (input: unknown) => {
    try {
      parseNewPet(input);
      return true;
    } catch {
      return false;
    }
  };

  it.each([
    [{ name: 'Rex', categoryId: 7 }],
    [{ name: 'Rex', categoryId: 7, status: 'sold' }],
    [{ name: ' R\n', categoryId: -1 }],
    [{ name: '🐈'.repeat(255), categoryId: 7 }],
    [{ name: '🐈'.repeat(256), categoryId: 7 }],
    [{ name: '', categoryId: 7 }],
    [{ name: ' \t\u00a0', categoryId: 7 }],
    [{ name: 'a\0b', categoryId: 7 }],
    [{ name: 5, categoryId: 7 }],
    [{ name: 'Rex', categoryId: '7' }],
    [{ name: 'Rex', categoryId: 1.5 }],
    [{ name: 'Rex' }],
    [{ categoryId: 7 }],
    [{ name: 'Rex', categoryId: 7, status: 'lost' }],
    [{ name: 'Rex', categoryId: 7, status: null }],
    [{ name: 'Rex', categoryId: 7, colour: 'red' }],
    [[]],
    ['Rex'],
  ])('%j', (input) => {
    expect(faultOf(schema('NewPet'), input) === undefined).toBe(isAccepted(input));
  });
});
