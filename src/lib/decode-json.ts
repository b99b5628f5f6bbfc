import { invalidRequest } from './errors.js';
import { JsonSyntaxError, parseJson, type JsonValue } from './parse-json.js';

/** @throws ApiError invalid_request for what is not UTF-8 or not strict JSON */
export function decodeJson(bytes: Uint8Array): JsonValue {
  let text: string;
  try {
    // A byte order mark is kept, and so refused: RFC 8259 section 8.1 forbids to send one.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidRequest({ field: 'body', message: 'is not valid UTF-8' });
  }
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw invalidRequest({ field: error.field ?? 'body', message: error.message });
  }
}
