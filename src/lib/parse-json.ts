import { printParseErrorCode, visit } from 'jsonc-parser';
import { parseJsonInt64 } from './int64.js';

/** The result of parseJson: like that of JSON.parse, but integers beyond 2^53 are bigints. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/** The text is not JSON, or two parsers could read it differently. `field` is the member with the fault. */
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
 * Parses strict JSON (RFC 8259) without loss. Integers within int64 are exact (number where safe, else bigint). No
 * other number becomes an integer. A repeated member name in one object is an error even if both values are equal (RFC
 * 8259 section 4 leaves this open; a gateway must not guess).
 *
 * JSON.parse does none of the three; lossless-json accepts equal duplicates. jsonc-parser's visitor provides the source
 * text of each literal, which suffices. It takes ten times as long, so it reads only the texts that JSON.parse
 * could get wrong.
 *
 * @throws JsonSyntaxError
 */
export function parseJson(text: string): JsonValue {
  return parsePlain(text) ?? parseByVisitor(text);
}

/** Matches numbers that are not short integers. Digits in a string match too: then it is only read more slowly. */
const NOT_PLAIN = /\d{16}|\d[.eE]|-0/;
/** Matches the end of each member name, and quotes before a colon in strings. */
const NAME_END = /"\s*:/g;

/** Undefined if another parser could read the text differently, or if the text has a fault. */
function parsePlain(text: string): JsonValue | undefined {
  if (NOT_PLAIN.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    // A repeated name is written twice but results in one member. A quote in a string can only raise the count.
    return membersOf(value, 0) === (text.match(NAME_END)?.length ?? 0) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The number of members in all objects; NaN if they are nested too deep. */
function membersOf(value: JsonValue, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= MAX_DEPTH) return NaN;
  const members = Object.values<JsonValue>(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce((sum: number, member) => sum + membersOf(member, depth + 1), own);
}

function parseByVisitor(text: string): JsonValue {
  // The visitor reports an empty text as an error, so there is always a value in the end.
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
    // Also bounds the visitor's recursion: throwing here unwinds it.
    if (open.length >= MAX_DEPTH) fail(`nested deeper than ${MAX_DEPTH} levels`);
    put(value);
    open.push(value);
    path.push(pendingName);
    pendingName = '';
  };
  const end = (): void => {
    open.pop();
    path.pop();
    // The next element of an array has no name.
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

/** Defines `__proto__` as an ordinary member, not as the prototype. */
function defineMember(parent: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(parent, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Converts `PropertyNameExpected` to `property name expected`. */
function inWords(code: string): string {
  return code.replace(/(?!^)[A-Z]/g, ' $&').toLowerCase();
}

function exactNumber(text: string): number | bigint {
  const integer = parseJsonInt64(text);
  if (integer === undefined) {
    const rounded = Number(text);
    // 1.00000000000000000001 and 1e30 round to integers that differ from the number in the text.
    return Number.isInteger(rounded) ? NaN : rounded;
  }
  const small = Number(integer);
  return Number.isSafeInteger(small) ? small : integer;
}
