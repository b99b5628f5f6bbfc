import type { Request, Response } from 'express';
import { acceptsCoding } from '../../http/answers/accepts.js';
import type { SiteFile } from '../../features/publishing/deploys/deploy.js';
import type { Blob } from '../../features/publishing/deploys/deploys-store.js';

/**
 * Caches may keep a file, but must revalidate it each time, so that a page is never combined with another deploy's
 * styles.
 */
export const REVALIDATE = 'public, max-age=0, must-revalidate';

/** Sends a file: whole, in part (RFC 9110 section 14), or as 304 if the client has it (section 13). */
export function sendFile(req: Request, res: Response, file: SiteFile, blob: Blob): void {
  const plainTag = `"${file.sha256}"`;
  const compressed = req.headers.range === undefined && acceptsCoding(req, 'gzip') ? blob.gzip : undefined;
  setFileHeaders(res, file);
  res.setHeader('Accept-Ranges', 'bytes');
  // Each form has its own tag, because a strong tag promises the same bytes.
  res.setHeader('ETag', compressed === undefined ? plainTag : `"${file.sha256}-gzip"`);
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  const ifRange = req.headers['if-range'];
  const isForThese = ifRange === undefined || ifRange === plainTag;
  const range =
    req.method === 'GET' && isForThese ? req.range(blob.bytes.length, { combine: true }) : undefined;
  if (range === -1) {
    res.setHeader('Content-Range', `bytes */${blob.bytes.length}`);
    res.status(416).end();
    return;
  }
  const [part, ...more] = Array.isArray(range) && range.type === 'bytes' ? range : [];
  // Several parts would need multipart/byteranges, which a server may omit (section 14.2).
  if (part !== undefined && more.length === 0) {
    res.setHeader('Content-Range', `bytes ${part.start}-${part.end}/${blob.bytes.length}`);
    res.status(206);
    sendBytes(res, blob.bytes.subarray(part.start, part.end + 1));
    return;
  }
  sendCopy(res, blob.bytes, compressed);
}

/** Sends the site's own page for missing paths, with status 404. */
export function sendNotFoundPage(req: Request, res: Response, file: SiteFile, blob: Blob): void {
  setFileHeaders(res, file);
  // Programs get the Error object instead.
  res.setHeader('Vary', 'Accept, Accept-Encoding');
  res.status(404);
  sendCopy(res, blob.bytes, acceptsCoding(req, 'gzip') ? blob.gzip : undefined);
}

function setFileHeaders(res: Response, { contentType }: SiteFile): void {
  res.setHeader('Content-Type', contentType);
  res.setHeader('Cache-Control', REVALIDATE);
  res.setHeader('Vary', 'Accept-Encoding');
}

function sendCopy(res: Response, plain: Buffer, compressed: Buffer | undefined): void {
  if (compressed !== undefined) res.setHeader('Content-Encoding', 'gzip');
  sendBytes(res, compressed ?? plain);
}

/** Node omits the body for HEAD. */
function sendBytes(res: Response, bytes: Buffer): void {
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes);
}
