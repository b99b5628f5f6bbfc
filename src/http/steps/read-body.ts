import { parse as parseContentType } from 'content-type';
import express, { type Request, type RequestHandler } from 'express';
import { decodeJson } from '../../lib/decode-json.js';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import type { JsonValue } from '../../lib/parse-json.js';
import { toApiError } from '../answers/api-error-of.js';

/** Also the limit of what a compressed body may expand to. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Stands in `req.body` for a body whose bytes could not be read: an unknown coding, or broken compression. */
class UnreadableBody {
  constructor(readonly reason: ApiError) {}
}

/**
 * Reads the bytes of any body, under the limit; what they mean is for the route to say. So is what is wrong with
 * them, but for their number: path and method come first, and the request is charged.
 */
export function readBody(): RequestHandler {
  const read = express.raw({ type: () => true, limit: MAX_BODY_BYTES });
  return (req, res, next) => {
    // The operations that GET and HEAD reach define no body: it is left unread (RFC 9110 section 9.3.1).
    if (req.method === 'GET' || req.method === 'HEAD') {
      next();
      return;
    }
    read(req, res, (thrown?: unknown) => {
      const error = thrown === undefined ? undefined : toApiError(thrown);
      if (error?.code === 'invalid_request' || error?.code === 'unsupported_media_type')
        req.body = new UnreadableBody(error);
      else if (thrown !== undefined) return next(thrown);
      next();
    });
  };
}

/** @throws ApiError unsupported_media_type unless the body is declared as JSON in UTF-8, in a known coding */
export function assertJsonBody(req: Request): void {
  const body: unknown = req.body;
  if (body instanceof UnreadableBody && body.reason.code === 'unsupported_media_type') throw body.reason;
  const { type, parameters } = parseContentType(req.headers['content-type'] ?? '');
  const charset = parameters['charset'] ?? 'utf-8';
  if (type.toLowerCase() !== 'application/json' || charset.toLowerCase() !== 'utf-8')
    throw new ApiError(
      'unsupported_media_type',
      'Send the body as Content-Type: application/json, in UTF-8.',
    );
}

/** @throws ApiError invalid_request for what is not UTF-8 or not strict JSON */
export function jsonOf(req: Request): JsonValue {
  const bytes: unknown = req.body;
  if (bytes instanceof UnreadableBody) throw bytes.reason;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0)
    throw invalidRequest({ field: 'body', message: 'is required' });
  return decodeJson(bytes);
}
