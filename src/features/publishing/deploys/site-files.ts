import { createHash } from 'node:crypto';
import { extname } from 'node:path/posix';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { contentType } from 'mime-types';
import type { FileContent, SiteFile } from './deploy.js';
import type { Blob } from './deploys-store.js';

const compress = promisify(gzip);

const COMPRESSIBLE =
  /^text\/|[/+](?:json|xml|javascript|wasm)\b|^(?:font\/(?:ttf|otf)|image\/(?:bmp|x-icon|vnd\.microsoft\.icon))\b/;
/** Both copies are one document, which MongoDB limits to 16 MB. */
const MAX_BLOB_BYTES = 15 * 1000 * 1000;
/** A copy that saves less is not worth its place. */
const WORTHWHILE = 0.9;

/** How a deploy lists a file: by its hash, with the type that its name tells. */
export function describeFile({ path, bytes }: FileContent): SiteFile {
  return {
    path,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    sizeBytes: bytes.length,
    contentType: contentTypeOf(path),
  };
}

/** What is stored of a file. */
export async function toBlob({ sha256, contentType }: SiteFile, bytes: Buffer): Promise<Blob> {
  if (!COMPRESSIBLE.test(contentType)) return { sha256, bytes };
  const compressed = await compress(bytes);
  const isWorthIt =
    compressed.length < bytes.length * WORTHWHILE && bytes.length + compressed.length < MAX_BLOB_BYTES;
  return { sha256, bytes, ...(isWorthIt && { gzip: compressed }) };
}

/** By the table of IANA and the common servers; what it does not know is bytes. */
function contentTypeOf(path: string): string {
  return contentType(extname(path)) || 'application/octet-stream';
}
