import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { acceptsCoding } from './accepts.js';

export interface ServedFile {
  contentType: string;
  /** Called once, when the file is first asked for. */
  read: () => string | Buffer | Promise<string | Buffer>;
  headers?: Readonly<Record<string, string>>;
  /** Its address names its version, so that a copy of it never goes stale. */
  immutable?: boolean;
}

interface Prepared {
  etag: string;
  plain: Buffer;
  /** By content coding, the smallest first. */
  compressed: readonly (readonly [coding: 'br' | 'gzip', bytes: Buffer])[];
}

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);
/** Brotli at its best takes a second for each megabyte, which whoever asks first would wait for. */
const MAX_BROTLI_BYTES = 256 * 1024;

/** What keeps these pages to themselves, beside what every answer carries (common-headers.ts). */
const SECURITY_HEADERS = {
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Answers a file that is the same for everybody, compressed once and kept. */
export function serve({ contentType, read, headers, immutable = false }: ServedFile): RequestHandler {
  let kept: Promise<Prepared> | undefined;
  return async (req, res) => {
    kept ??= prepare(read);
    // A failure is not kept: the next request tries again.
    const { etag, plain, compressed } = await kept.catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    res.set({ ...SECURITY_HEADERS, ...headers });
    res.setHeader('Content-Type', contentType);
    res.setHeader('Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'public, no-cache');
    res.setHeader('ETag', etag);
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    const [coding, bytes] = compressed.find(([coding]) => acceptsCoding(req, coding)) ?? [undefined, plain];
    if (coding !== undefined) res.setHeader('Content-Encoding', coding);
    res.setHeader('Content-Length', bytes.length);
    // Node leaves the body out of the answer to HEAD.
    res.end(bytes);
  };
}

async function prepare(read: ServedFile['read']): Promise<Prepared> {
  const plain = Buffer.from(await read());
  const gzipped = ['gzip', await toGzip(plain)] as const;
  const compressed =
    plain.length > MAX_BROTLI_BYTES ? [gzipped] : [['br', await toBrotli(plain)] as const, gzipped];
  // Weak: it stands for all codings.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
  return { etag, plain, compressed };
}
