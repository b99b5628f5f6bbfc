import type { Request } from 'express';
import { invalidRequest } from '../../lib/errors.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the Idempotency-Key of a request, bare (`abc`) or as the draft's quoted string (`"abc"`): both are the same
 * key.
 * @throws ApiError invalid_request
 */
export function idempotencyKeyOf(req: Request): string | undefined {
  const [value, second] = req.headersDistinct['idempotency-key'] ?? [];
  if (value === undefined) return undefined;
  const key = /^"(.*)"$/.exec(value)?.[1] ?? value;
  if (second !== undefined || !VISIBLE_ASCII.test(key))
    throw invalidRequest({
      field: 'Idempotency-Key',
      message: 'must be sent once, with 1 to 255 visible ASCII characters',
    });
  return key;
}
