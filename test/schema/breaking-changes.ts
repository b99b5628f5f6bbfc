import { buildSchema, findBreakingChanges } from 'graphql';
import { parse } from 'yaml';

type Node = Record<string, unknown>;
/** Which way a value goes: what a client sends must stay accepted, what it reads must stay understood. */
type Direction = 'sent' | 'read';

/** What a client of the older SDL may miss in the newer. */
export function breakingSdl(older: string, newer: string): string[] {
  return findBreakingChanges(buildSchema(older), buildSchema(newer)).map(({ description }) => description);
}

/**
 * What a client of the older OpenAPI document may miss in the newer. It looks at what this API is made of: operations,
 * parameters, statuses, headers, media types, and schemas with their types, properties, enumerations and limits.
 */
export function breakingOpenApi(older: string, newer: string): string[] {
  const before = inlined(parse(older) as Node);
  const after = inlined(parse(newer) as Node);
  const faults: string[] = [];

  /** Calls `compare` for what both have, and tells what the newer lacks. */
  function each(
    what: string,
    was: unknown,
    is: unknown,
    compare: (name: string, a: Node, b: Node) => void,
  ): void {
    for (const [name, value] of Object.entries(node(was))) {
      const now = node(is)[name];
      if (now === undefined) faults.push(`${what} ${name} is gone`);
      else compare(`${what} ${name}`, node(value), node(now));
    }
  }

  function compareSchemas(what: string, was: Node, is: Node, direction: Direction): void {
    const fault = (text: string) => faults.push(`${what} ${text}`);
    for (const keyword of ['type', 'format'])
      if (was[keyword] !== is[keyword]) fault(`has another ${keyword}`);
    const [a, b] = direction === 'sent' ? [was, is] : [is, was];
    const [enumA, enumB] = [list(a['enum']), list(b['enum'])];
    if (direction === 'sent' && b['enum'] !== undefined)
      for (const value of a['enum'] === undefined ? ['any text'] : enumA)
        if (!enumB.includes(value)) fault(`no longer takes ${String(value)}`);
    if (direction === 'read') compareValues(fault, was, is);
    if (direction === 'sent') compareLimits(fault, was, is);
    for (const name of list(b['required']))
      if (!list(a['required']).includes(name))
        fault(direction === 'sent' ? `now requires ${String(name)}` : `no longer always has ${String(name)}`);
    each(`${what}: the property`, was['properties'], is['properties'], (name, p, q) =>
      compareSchemas(name, p, q, direction),
    );
    if (was['items'] !== undefined)
      compareSchemas(`${what}: an item`, node(was['items']), node(is['items']), direction);
  }

  function compareContent(what: string, was: Node, is: Node, direction: Direction): void {
    each(`${what}: the media type`, was['content'], is['content'], (name, a, b) =>
      compareSchemas(name, node(a['schema']), node(b['schema']), direction),
    );
  }

  each('the operation', operationsOf(before), operationsOf(after), (operation, was, is) => {
    const [parametersWere, parametersAre] = [parametersOf(was), parametersOf(is)];
    each(`${operation}: the parameter`, parametersWere, parametersAre, (name, a, b) => {
      if (a['required'] !== true && b['required'] === true) faults.push(`${name} is now required`);
      compareSchemas(name, node(a['schema']), node(b['schema']), 'sent');
    });
    for (const [name, { required }] of Object.entries(parametersAre))
      if (required === true && parametersWere[name] === undefined)
        faults.push(`${operation}: the new parameter ${name} is required`);
    compareContent(
      `${operation}: the request body`,
      node(was['requestBody']),
      node(is['requestBody']),
      'sent',
    );
    each(`${operation}: the status`, was['responses'], is['responses'], (status, a, b) => {
      each(`${status}: the header`, a['headers'], b['headers'], (name, p, q) => {
        if (isAlwaysSent(p) && !isAlwaysSent(q)) faults.push(`${name} may now be missing`);
      });
      compareContent(status, a, b, 'read');
    });
  });
  return faults;
}

/** What the gateway promises to send, also where a proxy may remove it: see the headers of the document. */
function isAlwaysSent(header: Node): boolean {
  return ['required', 'x-always-sent', 'x-on-every-response'].some((mark) => header[mark] === true);
}

/**
 * An `x-extensible-enum` announces that values are added, so generated clients take any. An `enum` that becomes one
 * keeps its values: a client of the closed enum gets no value that it would not have got. A closed enum may not grow,
 * because generated clients fail on a value that it does not have.
 */
function compareValues(fault: (text: string) => void, was: Node, is: Node): void {
  const [before, after] = [was, is].map((schema) => list(schema['enum'] ?? schema['x-extensible-enum']));
  for (const value of before ?? [])
    if (!after?.includes(value)) fault(`no longer has the value ${String(value)}`);
  if (is['enum'] !== undefined)
    for (const value of after ?? [])
      if (!before?.includes(value)) fault(`has the new value ${String(value)}, though its enum is closed`);
}

function compareLimits(fault: (text: string) => void, was: Node, is: Node): void {
  const tighter: [string, (a: number, b: number) => boolean][] = [
    ['minimum', (a, b) => b > a],
    ['minLength', (a, b) => b > a],
    ['maximum', (a, b) => b < a],
    ['maxLength', (a, b) => b < a],
  ];
  for (const [keyword, isTighter] of tighter) {
    const unbounded = keyword.startsWith('min') ? -Infinity : Infinity;
    if (isTighter(Number(was[keyword] ?? unbounded), Number(is[keyword] ?? unbounded)))
      fault(`has a tighter ${keyword}`);
  }
  if (was['default'] !== is['default']) fault('has another default');
  if (is['pattern'] !== undefined && was['pattern'] !== is['pattern']) fault('has another pattern');
}

/** By operationId, which is what generated clients call. */
function operationsOf(document: Node): Record<string, Node> {
  const operations = Object.entries(node(document['paths'])).flatMap(([path, item]) =>
    Object.entries(node(item)).map(([method, operation]) => {
      const { operationId } = node(operation);
      return [`${String(operationId)} (${method} ${path})`, node(operation)] as const;
    }),
  );
  return Object.fromEntries(operations);
}

function parametersOf(operation: Node): Record<string, Node> {
  const parameters = list(operation['parameters']).map(node);
  return Object.fromEntries(parameters.map((it) => [`${String(it['name'])} in ${String(it['in'])}`, it]));
}

/** The document with everything in place of the references to it; none of ours leads back to itself. */
function inlined(document: Node): Node {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...others } = value as Node;
    const target = typeof $ref === 'string' ? node(walk(at(document, $ref))) : {};
    return { ...target, ...Object.fromEntries(Object.entries(others).map(([name, it]) => [name, walk(it)])) };
  };
  return walk(document) as Node;
}

function at(document: Node, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((found, name) => node(found)[name], document);
}

function node(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
