import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { RequestHandler, Response } from 'express';
import { acceptedCodings, type Coding } from './accepts.js';

export interface ServedFile {
  contentType: string;
  /** Called when the file is first requested, and again only after a failure. */
  read: () => string | Buffer | Promise<string | Buffer>;
  headers?: Readonly<Record<string, string>>;
  /** The file's URL contains its version, so a cached copy never becomes stale. */
  immutable?: boolean;
}

interface Prepared {
  etag: string;
  plain: Buffer;
  compressed: ReadonlyMap<Coding, Buffer>;
}

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);
/**
 * Largest file to compress with Brotli. At its highest quality, Brotli takes a second per megabyte, and the first
 * request waits for it.
 */
const MAX_BROTLI_BYTES = 256 * 1024;

/** Headers that isolate these pages from other origins, in addition to those in common-headers.ts. */
const SECURITY_HEADERS = {
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Sends a file that is the same for every client. Compresses it once and keeps the result in memory. */
export function serve(file: ServedFile): RequestHandler {
  let kept: Promise<Prepared> | undefined;
  return async (req, res) => {
    kept ??= prepare(file.read);
    // A failure is not cached: the next request tries again.
    const { etag, plain, compressed } = await kept.catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    setFileHeaders(res, file, 'public');
    res.setHeader('ETag', etag);
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    const codings = acceptedCodings(req);
    const coding = codings.find((accepted) => accepted === 'identity' || compressed.has(accepted));
    const bytes = (coding && compressed.get(coding)) ?? plain;
    if (bytes !== plain && coding !== undefined) res.setHeader('Content-Encoding', coding);
    res.setHeader('Content-Length', bytes.length);
    // Node omits the body for HEAD.
    res.end(bytes);
  };
}

/** Sets the headers of the file, except those of its bytes. `cache`: whether shared caches may keep it. */
export function setFileHeaders(
  res: Response,
  { contentType, headers, immutable = false }: ServedFile,
  cache: 'public' | 'private',
): void {
  res.set({ ...SECURITY_HEADERS, ...headers });
  res.setHeader('Content-Type', contentType);
  res.setHeader('Cache-Control', `${cache}, ${immutable ? 'max-age=31536000, immutable' : 'no-cache'}`);
}

async function prepare(read: ServedFile['read']): Promise<Prepared> {
  const plain = Buffer.from(await read());
  const compressed = new Map<Coding, Buffer>([['gzip', await toGzip(plain)]]);
  if (plain.length <= MAX_BROTLI_BYTES) compressed.set('br', await toBrotli(plain));
  // A weak ETag, because it stands for all content codings.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
  return { etag, plain, compressed };
}
