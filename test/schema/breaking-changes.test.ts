import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breakingOpenApi, breakingSdl } from './breaking-changes.js';

const SDL = 'type Query { pet(id: ID!): Pet  pets(limit: Int): [Pet!]! } type Pet { id: ID! name: String! }';
let openApi: string;
beforeAll(async () => {
  openApi = await readFile(join(__dirname, '../../schema/openapi.yaml'), 'utf8');
});

describe('the SDL', () => {
  it.each([
    ['the same', SDL, SDL],
    ['a new field', SDL, SDL.replace('name:', 'age: Int name:')],
    ['a new optional argument', SDL, SDL.replace('limit: Int', 'limit: Int after: String')],
  ])('is not broken by %s', (_, older, newer) => expect(breakingSdl(older, newer)).toEqual([]));

  it.each([
    ['a field that is gone', SDL, SDL.replace('name: String!', ''), /Pet\.name/],
    ['a field that may now be null', SDL, SDL.replace('name: String!', 'name: String'), /Pet\.name/],
    ['a new required argument', SDL, SDL.replace('limit: Int', 'limit: Int shop: ID!'), /shop/],
  ])('is broken by %s', (_, older, newer, message) =>
    expect(breakingSdl(older, newer)).toEqual([expect.stringMatching(message)]),
  );
});

describe('the OpenAPI document', () => {
  /** The document with one place of it changed. */
  const changed = (from: string | RegExp, to: string) => {
    const other = openApi.replace(from, to);
    expect(other).not.toBe(openApi);
    return other;
  };

  it.each<[string, string | RegExp, string]>([
    ['another description', 'summary: List all animals', 'summary: List animals'],
    [
      'a new optional parameter',
      '    Status:\n',
      '    Age:\n      name: age\n      in: query\n    Status:\n',
    ],
    ['a higher limit', 'maximum: 100, default: 20', 'maximum: 200, default: 20'],
    [
      'a new error code',
      '            - invalid_request\n',
      '            - invalid_request\n            - too_early\n',
    ],
    [
      'an enum that clients now take any value of',
      /enum: (\[available, pending, sold\])/,
      'x-extensible-enum: $1',
    ],
    ['a header that a proxy may remove', /(X-RateLimit-Limit:\n.*\n\s+)required:/, '$1x-always-sent:'],
    ['a deprecation', 'operationId: createPet\n', 'operationId: createPet\n      deprecated: true\n'],
    ['one required field less', 'required: [name, categoryId]', 'required: [name]'],
  ])('is not broken by %s', (_, from, to) => expect(breakingOpenApi(openApi, changed(from, to))).toEqual([]));

  it('is not broken by nothing', () => expect(breakingOpenApi(openApi, openApi)).toEqual([]));

  it.each<[string, string | RegExp, string, RegExp]>([
    ['an operation that is gone', 'operationId: createPet', 'operationId: addPet', /createPet .* is gone/],
    ['a path that is gone', '  /pets/{petId}:', '  /animals/{petId}:', /getPet .* is gone/],
    ['a parameter that is gone', 'name: limit', 'name: count', /limit in query is gone/],
    ['a status that is gone', "        '422':", "        '423':", /422 is gone/],
    ['a header that is gone', /ETag: \{/, 'E-Tag: {', /ETag is gone/],
    [
      'a header that may be missing',
      /(X-RateLimit-Limit:\n.*\n)\s+required: true\n\s+x-on-every-response: true/,
      '$1      required: false',
      /may now be missing/,
    ],
    ['a lower limit', 'maximum: 100, default: 20', 'maximum: 50, default: 20', /tighter maximum/],
    ['another default', 'maximum: 100, default: 20', 'maximum: 100, default: 10', /another default/],
    [
      'a new required field',
      'required: [name, categoryId]',
      'required: [name, categoryId, status]',
      /requires status/,
    ],
    ['a member that may be missing', 'required: [id, name,', 'required: [name,', /no longer always has id/],
    ['an error code that is gone', '            - not_found\n', '', /no longer has the value not_found/],
    [
      'a new value of a closed enum',
      '[available, pending, sold]',
      '[available, pending, sold, lost]',
      /new value lost/,
    ],
    [
      'an enum that is gone',
      'enum: [available, pending, sold]',
      'examples: [sold]',
      /no longer has the value sold/,
    ],
    [
      'a status of a pet that is not taken',
      '[available, pending, sold]',
      '[available, sold]',
      /no longer takes pending/,
    ],
  ])('is broken by %s', (_, from, to, message) => {
    const faults = breakingOpenApi(openApi, changed(from, to));
    expect(faults).not.toEqual([]);
    expect(faults.join('\n')).toMatch(message);
  });
});
