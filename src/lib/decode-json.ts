import { isUtf8 } from 'node:buffer';
import { invalidRequest } from './errors.js';
import { JsonSyntaxError, parseJson, type JsonValue } from './parse-json.js';

/** @throws ApiError invalid_request when the bytes are not UTF-8 or not strict JSON */
export function decodeJson(bytes: Buffer): JsonValue {
  if (!isUtf8(bytes)) throw invalidRequest({ field: 'body', message: 'is not valid UTF-8' });
  // `toString` keeps a byte order mark, so the parser rejects it: RFC 8259 section 8.1 forbids sending one.
  return readJson(bytes.toString());
}

/** @throws ApiError invalid_request when the text is not strict JSON */
export function readJson(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw invalidRequest({ field: error.field ?? 'body', message: error.message });
  }
}
