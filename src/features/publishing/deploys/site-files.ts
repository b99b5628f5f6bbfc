import { extname } from 'node:path/posix';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { contentType } from 'mime-types';
import { sha256 } from '../../../lib/sha256.js';
import type { FileContent, SiteFile } from './deploy.js';
import type { Blob } from './deploys-store.js';

const compress = promisify(gzip);

const COMPRESSIBLE =
  /^text\/|[/+](?:json|xml|javascript|wasm)\b|^(?:font\/(?:ttf|otf)|image\/(?:bmp|x-icon|vnd\.microsoft\.icon))\b/;
/** Both copies share one document, which MongoDB limits to 16 MB. */
const MAX_BLOB_BYTES = 15 * 1000 * 1000;
/** A compressed copy must be smaller than this share of the original. */
const WORTHWHILE = 0.9;

/** Describes a file as a deploy lists it: its hash, and the content type by its name. */
export function describeFile({ path, bytes }: FileContent): SiteFile {
  return {
    path,
    sha256: sha256(bytes),
    sizeBytes: bytes.length,
    contentType: contentTypeOf(path),
  };
}

/** The stored form of a file. */
export async function toBlob({ sha256, contentType }: SiteFile, bytes: Buffer): Promise<Blob> {
  if (!COMPRESSIBLE.test(contentType)) return { sha256, bytes };
  const compressed = await compress(bytes);
  const isWorthIt =
    compressed.length < bytes.length * WORTHWHILE && bytes.length + compressed.length < MAX_BLOB_BYTES;
  return { sha256, bytes, ...(isWorthIt && { gzip: compressed }) };
}

/** Looks up the type in the tables of IANA and common servers; unknown types become application/octet-stream. */
function contentTypeOf(path: string): string {
  return contentType(extname(path)) || 'application/octet-stream';
}
