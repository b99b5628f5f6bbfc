import { refuseEntry } from './collect-site.js';
import { MAX_SITE_BYTES } from './deploy.js';

interface RealFile {
  name: string;
  sizeBytes: number;
}

interface SparseHeader {
  name: string;
  pax: Readonly<Record<string, string>> | null;
}

/** The blocks that a map is padded to, and the least size of a hole on usual file systems. */
const BLOCK_BYTES = 512;
const MAX_PARTS = MAX_SITE_BYTES / BLOCK_BYTES / 4;
const NEWLINE = 0x0a;
const NUMBER = /^\d{1,15}$/;

/**
 * The name and size of a file that is stored with its holes left out (GNU tar manual, "Storing Sparse Files", PAX format
 * version 1.0, which bsdtar writes too). Undefined for any other entry.
 * @throws SiteRefused for earlier versions of the format
 */
export function realNameAndSize({ name: storedName, pax }: SparseHeader): RealFile | undefined {
  if (pax === null || !Object.keys(pax).some((keyword) => keyword.startsWith('GNU.sparse.')))
    return undefined;
  const name = pax['GNU.sparse.name'] ?? storedName;
  const version = `${pax['GNU.sparse.major']}.${pax['GNU.sparse.minor']}`;
  const size = pax['GNU.sparse.realsize'] ?? '';
  if (version !== '1.0' || !NUMBER.test(size))
    throw refuseEntry(
      name,
      'is stored with its holes left out, in a form that the gateway does not read: pack without --sparse (-S)',
    );
  return { name, sizeBytes: Number(size) };
}

/**
 * Restores a file from what is stored: a map, padded to whole blocks, and the parts between the holes. The map is a list
 * of numbers, each on a line: how many parts there are, then the offset and size of each. Allocates `sizeBytes`.
 * @throws SiteRefused
 */
export function fillHoles({ name, sizeBytes }: RealFile, stored: Buffer): Buffer {
  const whole = Buffer.alloc(sizeBytes);
  let at = 0;
  const next = () => {
    const end = stored.indexOf(NEWLINE, at);
    const text = end === -1 ? '' : stored.toString('latin1', at, end);
    if (!NUMBER.test(text)) throw refuseEntry(name, 'has a damaged map of its holes');
    at = end + 1;
    return Number(text);
  };
  const count = next();
  if (count > MAX_PARTS)
    throw refuseEntry(name, `has more than ${MAX_PARTS} holes: pack without --sparse (-S)`);
  const parts = Array.from({ length: count }, () => ({ offset: next(), size: next() }));
  let from = Math.ceil(at / BLOCK_BYTES) * BLOCK_BYTES;
  let filled = 0;
  for (const { offset, size } of parts) {
    if (offset < filled || offset + size > sizeBytes || from + size > stored.length)
      throw refuseEntry(name, 'has a map of its holes that does not fit the file');
    stored.copy(whole, offset, from, from + size);
    from += size;
    filled = offset + size;
  }
  if (from !== stored.length) throw refuseEntry(name, 'has a map of its holes that does not fit the file');
  return whole;
}
