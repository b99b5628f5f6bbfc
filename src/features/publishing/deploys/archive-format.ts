/** What to do for a person who sent another format. */
export const HOW_TO_PACK = 'Make a .tar.gz file, for example with: tar czf site.tar.gz -C FOLDER .';

/** How files of these formats begin. */
const FORMATS: readonly { name: string; magic: Buffer; at?: number }[] = [
  // APPNOTE.TXT sections 4.3.7 and 4.3.16: the first entry, or the end of a zip file without entries.
  { name: 'a zip file', magic: Buffer.from('PK\x03\x04') },
  { name: 'a zip file', magic: Buffer.from('PK\x05\x06') },
  { name: 'a 7z file', magic: Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]) },
  // POSIX.1-2024 "pax", the header ustar.
  { name: 'a tar file', magic: Buffer.from('ustar'), at: 257 },
  // cpio(5): newc, newc with checksums and odc in ASCII, then the old binary format in both byte orders.
  { name: 'a cpio archive', magic: Buffer.from('07070') },
  { name: 'a cpio archive', magic: Buffer.from([0xc7, 0x71]) },
  { name: 'a cpio archive', magic: Buffer.from([0x71, 0xc7]) },
  { name: 'a gzip file', magic: Buffer.from([0x1f, 0x8b]) },
  { name: 'an xz file', magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]) },
  { name: 'a bzip2 file', magic: Buffer.from('BZh') },
  { name: 'a zstd file', magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) },
];

/**
 * Names the format of bytes that could not be read as what was expected: `a zip file`. Returns undefined for an unknown
 * one. A readable tar can begin like any of the formats, with the name of its first file.
 */
export function formatOf(bytes: Buffer): string | undefined {
  return FORMATS.find(({ magic, at = 0 }) => bytes.subarray(at, at + magic.length).equals(magic))?.name;
}
