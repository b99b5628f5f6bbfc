import { extname } from 'node:path/posix';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { contentType } from 'mime-types';
import { sha256 } from '../../../lib/sha256.js';
import type { FileContent, SiteFile } from './deploy.js';
import type { Blob } from './deploys-store.js';

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

const COMPRESSIBLE =
  /^text\/|[/+](?:json|xml|javascript|wasm)\b|^(?:font\/(?:ttf|otf)|image\/(?:bmp|x-icon|vnd\.microsoft\.icon))\b/;
/** All copies share one document, which MongoDB limits to 16 MB. */
const MAX_BLOB_BYTES = 15 * 1000 * 1000;
/** A gzip copy must be smaller than this share of the original. */
const WORTHWHILE = 0.9;
/**
 * How many bytes of an upload get Brotli's highest quality, which takes a second per MiB. It takes a twentieth of that
 * at the other quality, which still makes smaller copies than gzip.
 */
const BEST_BYTES = 256 * 1024;
const BEST = constants.BROTLI_MAX_QUALITY;
const FAST = 5;

/** Describes a file as a deploy lists it: its hash, and the content type by its name. */
export function describeFile({ path, bytes }: FileContent): SiteFile {
  return {
    path,
    sha256: sha256(bytes),
    sizeBytes: bytes.length,
    contentType: contentTypeOf(path),
  };
}

/**
 * Returns a function that makes the stored form of the files of one upload. Call it for one file after the other: it
 * uses one thread at a time.
 */
export function createCompressor(): (file: SiteFile, bytes: Buffer) => Promise<Blob> {
  let bestBytes = 0;

  async function brotliOf(bytes: Buffer): Promise<Buffer> {
    const isBest = bestBytes + bytes.length <= BEST_BYTES;
    if (isBest) bestBytes += bytes.length;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: isBest ? BEST : FAST,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    return toBrotli(bytes, { params });
  }

  return async ({ sha256, contentType }, bytes) => {
    const plain = { sha256, bytes };
    if (!COMPRESSIBLE.test(contentType)) return plain;
    const gzip = await toGzip(bytes);
    const storedBytes = bytes.length + gzip.length;
    if (gzip.length >= bytes.length * WORTHWHILE || storedBytes >= MAX_BLOB_BYTES) return plain;
    const brotli = await brotliOf(bytes);
    const isWorthIt = brotli.length < gzip.length && storedBytes + brotli.length < MAX_BLOB_BYTES;
    return { ...plain, gzip, ...(isWorthIt && { brotli }) };
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';
/**
 * Files of `/.well-known/` whose specifications give them a type and no extension. Some are folders too, with a file for
 * each path of an issuer (RFC 8414 section 3.1).
 */
const WELL_KNOWN_TYPES: Readonly<Record<string, string>> = {
  // Apple, "Supporting associated domains". It may also be at the top level.
  'apple-app-site-association': JSON_TYPE,
  // Matrix client-server API, "Well-known URIs", and server-server API, "Server discovery".
  'matrix/client': JSON_TYPE,
  'matrix/server': JSON_TYPE,
  'matrix/support': JSON_TYPE,
  // NodeInfo 2.1, "Discovery".
  nodeinfo: JSON_TYPE,
  // RFC 8414 section 3.2.
  'oauth-authorization-server': JSON_TYPE,
  // RFC 9728 section 3.2.
  'oauth-protected-resource': JSON_TYPE,
  // OpenID Connect Discovery 1.0 section 4.2.
  'openid-configuration': JSON_TYPE,
  // OpenID for Verifiable Credential Issuance 1.0 section 12.2.2.
  'openid-credential-issuer': JSON_TYPE,
  // W3C, "A Well-Known URL for Relying Party Passkey Endpoints".
  'passkey-endpoints': JSON_TYPE,
  // W3C, Federated Credential Management API.
  'web-identity': JSON_TYPE,
  // W3C, Web Authentication Level 3 section 5.11.1.
  webauthn: JSON_TYPE,
  // RFC 7033 section 10.2.
  webfinger: 'application/jrd+json; charset=utf-8',
};
const WELL_KNOWN_NAMES = Object.keys(WELL_KNOWN_TYPES);

/** Looks up the type in the tables of IANA and common servers; unknown types become application/octet-stream. */
function contentTypeOf(path: string): string {
  return contentType(extname(path)) || (wellKnownTypeOf(path) ?? 'application/octet-stream');
}

function wellKnownTypeOf(path: string): string | undefined {
  if (path === 'apple-app-site-association') return JSON_TYPE;
  if (!path.startsWith('.well-known/')) return undefined;
  const name = path.slice('.well-known/'.length);
  const known = WELL_KNOWN_NAMES.find((known) => name === known || name.startsWith(`${known}/`));
  return known && WELL_KNOWN_TYPES[known];
}
