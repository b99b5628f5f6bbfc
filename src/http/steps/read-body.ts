import { parse as parseContentType } from 'content-type';
import express, { type Request, type RequestHandler } from 'express';
import { decodeJson } from '../../lib/decode-json.js';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import type { JsonValue } from '../../lib/parse-json.js';
import { resultOf } from '../../lib/result-of.js';
import { toApiError } from '../answers/api-error-of.js';
import { awaitBody } from './await-body.js';
import { CONTENT_CODINGS } from './content-codings.js';

/** Also the limit of a compressed body's expanded size. */
const MAX_BODY_BYTES = 64 * 1024;
const CODING_NAMES = Array.from(CONTENT_CODINGS.keys()).join(', ');

/** Replaces `req.body` if the bytes could not be read: an unknown content coding, or invalid compressed data. */
class UnreadableBody {
  constructor(readonly reason: ApiError) {}
}

/**
 * Reads the bytes of any body up to the limit, and expands them. The route parses them and reports errors in them,
 * except a body over the limit: the path and the method are checked first, and the request is charged.
 */
export function readBody(): RequestHandler {
  const read = express.raw({ type: () => true, limit: MAX_BODY_BYTES });
  return (req, res, next) => {
    // The operations that accept GET and HEAD define no body, so the body stays unread (RFC 9110 section 9.3.1).
    if (req.method === 'GET' || req.method === 'HEAD') {
      next();
      return;
    }
    const fail = (thrown: unknown) => {
      const error = toApiError(thrown);
      if (error.code === 'invalid_request') req.body = new UnreadableBody(error);
      next(error.code === 'invalid_request' ? undefined : thrown);
    };
    const coding = (req.headers['content-encoding'] ?? '').toLowerCase();
    const isCoded = coding !== '' && coding !== 'identity';
    const expand = isCoded ? CONTENT_CODINGS.get(coding) : undefined;
    if (isCoded && expand === undefined) {
      req.body = new UnreadableBody(unknownCoding());
      next();
      return;
    }
    let isOver = false;
    const body = awaitBody(req, res, (error) => {
      if (isOver) return;
      isOver = true;
      // The rest of the body is not read.
      res.setHeader('Connection', 'close');
      next(error);
    });
    // Express would decode the body without a limit of the compressed bytes and of the memory that zstd takes.
    delete req.headers['content-encoding'];
    read(req, res, (thrown?: unknown) => {
      if (isOver) return;
      isOver = true;
      const bytes: unknown = req.body;
      const fault = thrown ?? resultOf(() => body.arrived());
      if (fault !== undefined) fail(fault);
      else if (expand === undefined || !Buffer.isBuffer(bytes)) next();
      else
        expand(bytes, { maxOutputLength: MAX_BODY_BYTES }).then(
          (expanded) => {
            req.body = expanded;
            next();
          },
          (error: unknown) => fail(withStatus(error as NodeJS.ErrnoException)),
        );
    });
  };
}

/** Marks an error of zlib as Express marks those of its reader. */
function withStatus(error: NodeJS.ErrnoException): Error {
  return Object.assign(error, { status: error.code === 'ERR_BUFFER_TOO_LARGE' ? 413 : 400 });
}

function unknownCoding(): ApiError {
  return new ApiError(
    'unsupported_media_type',
    `The Content-Encoding is not supported. Send ${CODING_NAMES}, or no Content-Encoding.`,
  );
}

/** `utf8` is no registered name, but programs send it, and the Encoding Standard of browsers knows it too. */
const UTF_8: ReadonlySet<string> = new Set(['utf-8', 'utf8']);

/**
 * Requires a body declared as JSON in UTF-8, in a supported content coding. `Accept-Encoding` of the response names
 * these codings, but only if the coding was the fault (RFC 9110 section 12.5.3). For a PATCH, `Accept-Patch` names the
 * media types (RFC 5789 section 2.2).
 *
 * @param types the media types of JSON that the operation accepts
 * @throws ApiError unsupported_media_type
 */
export function assertJsonBody(req: Request, types: readonly string[] = ['application/json']): void {
  const body: unknown = req.body;
  if (body instanceof UnreadableBody && body.reason.code === 'unsupported_media_type') {
    req.res?.setHeader('Accept-Encoding', CODING_NAMES);
    throw body.reason;
  }
  const { type, parameters } = parseContentType(req.headers['content-type'] ?? '');
  const charset = parameters['charset'] ?? 'utf-8';
  if (types.includes(type.toLowerCase()) && UTF_8.has(charset.toLowerCase())) return;
  if (req.method === 'PATCH') req.res?.setHeader('Accept-Patch', types.join(', '));
  throw new ApiError(
    'unsupported_media_type',
    `Send the body as Content-Type: ${types.join(' or ')}, in UTF-8.`,
  );
}

/** @throws ApiError invalid_request if the request has a body */
export function assertNoBody(req: Request): void {
  const body: unknown = req.body;
  if (body instanceof UnreadableBody || (Buffer.isBuffer(body) && body.length > 0))
    throw invalidRequest({ field: 'body', message: 'must be empty: this operation has no body' });
}

/** @throws ApiError invalid_request if the body is missing, not UTF-8, or not strict JSON */
export function jsonOf(req: Request): JsonValue {
  const bytes: unknown = req.body;
  if (bytes instanceof UnreadableBody) throw bytes.reason;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0)
    throw invalidRequest({ field: 'body', message: 'is required' });
  return decodeJson(bytes);
}
