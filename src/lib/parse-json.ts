import { printParseErrorCode, visit } from 'jsonc-parser';
import { parseJsonInt64 } from './int64.js';

/** What parseJson makes of a text: as JSON.parse does, but integers past 2^53 are bigints. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/** Not JSON, or JSON that two readers could understand differently. `field` is the member it is about. */
export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    readonly field?: string,
  ) {
    super(message);
    this.name = 'JsonSyntaxError';
  }
}

const MAX_DEPTH = 64;

/**
 * Strict JSON (RFC 8259) that loses nothing: integers within int64 are exact (number where safe, else bigint),
 * every other number can never pass for an integer, and a member name that occurs twice in one object is an
 * error even when both values are equal (RFC 8259 section 4 leaves it open; a gateway must not guess).
 *
 * JSON.parse does none of the three; lossless-json lets equal duplicates pass. jsonc-parser's visitor gives
 * the source text of each literal, which is all that is needed. It takes ten times as long, so it is spared what
 * JSON.parse cannot get wrong.
 *
 * @throws JsonSyntaxError
 */
export function parseJson(text: string): JsonValue {
  return parsePlain(text) ?? parseByVisitor(text);
}

/** Escapes, numbers that are no short integers, and the one name that is no member of an object literal. */
const NOT_PLAIN = /\\|\d{16}|\d[.eE]|-0|__proto__/;
/** Ends the name of a member. Without escapes no other quote has a colon behind it, but for one that begins a text. */
const NAME_END = /"\s*:/g;

/** Undefined where another reader could see something else, or there is something to complain of. */
function parsePlain(text: string): JsonValue | undefined {
  if (NOT_PLAIN.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    // A name that occurs twice is one member of two that were written.
    return membersOf(value, 0) === (text.match(NAME_END)?.length ?? 0) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** In all objects; NaN where they are nested too deep. */
function membersOf(value: JsonValue, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= MAX_DEPTH) return NaN;
  const members = Object.values<JsonValue>(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce((sum: number, member) => sum + membersOf(member, depth + 1), own);
}

function parseByVisitor(text: string): JsonValue {
  // An empty text is an error of the visitor's: there is a value in the end.
  let root: JsonValue = null;
  let pendingName = '';
  const open: (JsonValue[] | JsonObject)[] = [];
  const path: string[] = [];

  const fail = (message: string, field?: string): never => {
    throw new JsonSyntaxError(message, field);
  };
  const put = (value: JsonValue): void => {
    const parent = open.at(-1);
    if (parent === undefined) root = value;
    else if (Array.isArray(parent)) parent.push(value);
    else defineMember(parent, pendingName, value);
  };
  const begin = (value: JsonValue[] | JsonObject): void => {
    // Also bounds the visitor's own recursion: throwing here unwinds it.
    if (open.length >= MAX_DEPTH) fail(`nested deeper than ${MAX_DEPTH} levels`);
    put(value);
    open.push(value);
    path.push(pendingName);
    pendingName = '';
  };
  const end = (): void => {
    open.pop();
    path.pop();
    // The next element of an array stands under no name.
    pendingName = '';
  };

  visit(
    text,
    {
      onObjectBegin: () => begin({}),
      onObjectEnd: end,
      onArrayBegin: () => begin([]),
      onArrayEnd: end,
      onObjectProperty: (name) => {
        if (Object.hasOwn(open.at(-1) ?? {}, name))
          fail('the member occurs twice', [...path, name].filter(Boolean).join('.'));
        pendingName = name;
      },
      onLiteralValue: (value: JsonValue, offset, length) =>
        put(typeof value === 'number' ? exactNumber(text.slice(offset, offset + length)) : value),
      onError: (code, offset) => fail(`not JSON: ${inWords(printParseErrorCode(code))} at offset ${offset}`),
    },
    { disallowComments: true },
  );
  return root;
}

/** `__proto__` must become a member like any other, not a prototype. */
function defineMember(parent: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(parent, name, { value, enumerable: true, writable: true, configurable: true });
}

/** `PropertyNameExpected`: property name expected. */
function inWords(code: string): string {
  return code.replace(/(?!^)[A-Z]/g, ' $&').toLowerCase();
}

function exactNumber(text: string): number | bigint {
  const integer = parseJsonInt64(text);
  if (integer === undefined) {
    const rounded = Number(text);
    // 1.00000000000000000001 and 1e30 round to integers that the text does not say.
    return Number.isInteger(rounded) ? NaN : rounded;
  }
  const small = Number(integer);
  return Number.isSafeInteger(small) ? small : integer;
}
