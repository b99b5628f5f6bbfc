import { parse as parseContentType } from 'content-type';
import express, { type Request, type RequestHandler } from 'express';
import { decodeJson } from '../../lib/decode-json.js';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import type { JsonValue } from '../../lib/parse-json.js';
import { toApiError } from '../answers/api-error-of.js';

/** Also the limit of a compressed body's expanded size. */
const MAX_BODY_BYTES = 64 * 1024;

/** Replaces `req.body` if the bytes could not be read: an unknown content coding, or invalid compressed data. */
class UnreadableBody {
  constructor(readonly reason: ApiError) {}
}

/**
 * Reads the bytes of any body up to the limit. The route parses them and reports errors in them, except a body over the
 * limit: the path and the method are checked first, and the request is charged.
 */
export function readBody(): RequestHandler {
  const read = express.raw({ type: () => true, limit: MAX_BODY_BYTES });
  return (req, res, next) => {
    // The operations that accept GET and HEAD define no body, so the body stays unread (RFC 9110 section 9.3.1).
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

/** Requires a body declared as JSON in UTF-8, in a supported content coding. @throws ApiError unsupported_media_type */
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

/** @throws ApiError invalid_request if the body is missing, not UTF-8, or not strict JSON */
export function jsonOf(req: Request): JsonValue {
  const bytes: unknown = req.body;
  if (bytes instanceof UnreadableBody) throw bytes.reason;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0)
    throw invalidRequest({ field: 'body', message: 'is required' });
  return decodeJson(bytes);
}
