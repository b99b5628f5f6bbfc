import type { Request, Response } from 'express';
import { acceptedCodings } from '../../http/answers/accepts.js';
import { ApiError } from '../../lib/errors.js';
import type { SiteFile } from '../../features/publishing/deploys/deploy.js';
import type { Blob } from '../../features/publishing/deploys/deploys-store.js';
import { isHashedName } from '../../features/publishing/sites/hashed-name.js';

/**
 * Caches may keep a file, but must revalidate it each time, so that a page is never combined with another deploy's
 * styles.
 */
export const REVALIDATE = 'public, max-age=0, must-revalidate';
/** For a year, without revalidation: another content has another name (RFC 8246). */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The bytes of a file as one response carries them. */
interface Representation {
  bytes: Buffer;
  coding: 'br' | 'gzip' | undefined;
  /** Each form has its own tag, because a strong tag promises the same bytes. */
  etag: string;
}

/**
 * Sends a file: whole, in part (RFC 9110 section 14), or as 304 if the client has it (section 13).
 * @param vary the request headers that decided about the response
 * @throws ApiError precondition_failed
 */
export function sendFile(
  req: Request,
  res: Response,
  file: SiteFile,
  blob: Blob,
  vary = 'Accept-Encoding',
): void {
  const { headers } = req;
  // A range is a part of the plain bytes.
  const sent = represent(file, blob, headers.range === undefined ? acceptedCodings(req) : []);
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined && !matches(ifMatch, sent.etag))
    throw new ApiError('precondition_failed', 'If-Match names another version of this file.');
  res.setHeader('Content-Type', file.contentType);
  res.setHeader(
    'Cache-Control',
    isHashedName(file.path) && file.isRewritten !== true ? IMMUTABLE : REVALIDATE,
  );
  res.setHeader('Vary', vary);
  res.setHeader('Accept-Ranges', 'bytes');
  res.setHeader('ETag', sent.etag);
  if (headers['if-none-match'] !== undefined && req.fresh) {
    res.status(304).end();
    return;
  }
  if (headers.range === undefined || !sendPart(req, res, sent)) sendBytes(res, sent);
}

/**
 * Sends the site's own page for missing paths, with status 404.
 * @param vary the request headers that decided about the page: other clients get the Error object
 */
export function sendNotFoundPage(
  req: Request,
  res: Response,
  file: SiteFile,
  blob: Blob,
  vary: string,
): void {
  res.setHeader('Content-Type', file.contentType);
  res.setHeader('Cache-Control', REVALIDATE);
  res.setHeader('Vary', `${vary}, Accept-Encoding`);
  res.status(404);
  sendBytes(res, represent(file, blob, acceptedCodings(req)));
}

/** Chooses the form that the client prefers; among equal ones the smallest. */
function represent(
  { sha256 }: SiteFile,
  blob: Blob,
  codings: ReturnType<typeof acceptedCodings>,
): Representation {
  for (const coding of codings) {
    if (coding === 'identity') break;
    const bytes = coding === 'br' ? blob.brotli : blob.gzip;
    if (bytes !== undefined) return { bytes, coding, etag: `"${sha256}-${coding}"` };
  }
  return { bytes: blob.bytes, coding: undefined, etag: `"${sha256}"` };
}

/** Compares strongly, so that a weak tag never matches (RFC 9110 section 13.1.1). */
function matches(ifMatch: string, etag: string): boolean {
  return ifMatch === '*' || ifMatch.split(',').some((tag) => tag.trim() === etag);
}

/** Sends the part that `Range` names. Returns false, and sends nothing, if the whole file is due. */
function sendPart(req: Request, res: Response, { bytes, etag }: Representation): boolean {
  const ifRange = req.headers['if-range'];
  if (req.method !== 'GET' || (ifRange !== undefined && ifRange !== etag)) return false;
  const range = req.range(bytes.length, { combine: true });
  if (range === -1) {
    res.setHeader('Content-Range', `bytes */${bytes.length}`);
    // A cache may store any response that says how long it is fresh (RFC 9111 section 3).
    res.setHeader('Cache-Control', REVALIDATE);
    res.status(416).end();
    return true;
  }
  const [part, ...more] = Array.isArray(range) && range.type === 'bytes' ? range : [];
  // Several parts would need multipart/byteranges, which a server may omit (section 14.2).
  if (part === undefined || more.length > 0) return false;
  res.setHeader('Content-Range', `bytes ${part.start}-${part.end}/${bytes.length}`);
  res.status(206);
  sendBytes(res, { bytes: bytes.subarray(part.start, part.end + 1), coding: undefined });
  return true;
}

/** Node omits the body for HEAD. */
function sendBytes(res: Response, { bytes, coding }: Pick<Representation, 'bytes' | 'coding'>): void {
  if (coding !== undefined) res.setHeader('Content-Encoding', coding);
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes);
}
