const BLOCK_BYTES = 512;
const encoder = new TextEncoder();

export interface TarEntry {
  /** Relative, with `/`. */
  path: string;
  contents: Blob;
}

/** Makes a tar.gz of files in the browser. @throws RangeError for a path that tar cannot store */
export async function tarGz(entries: readonly TarEntry[]): Promise<Blob> {
  const parts = entries.flatMap(({ path, contents }) => [
    header(path, contents.size),
    contents,
    new Uint8Array((BLOCK_BYTES - (contents.size % BLOCK_BYTES)) % BLOCK_BYTES),
  ]);
  // Two empty blocks end the archive.
  const tar = new Blob([...parts, new Uint8Array(2 * BLOCK_BYTES)]);
  return new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).blob();
}

/** POSIX.1-1988 (ustar), "Header Block". */
function header(path: string, sizeBytes: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES);
  const put = (at: number, text: string) => block.set(encoder.encode(text), at);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  const { prefix, name } = splitPath(path);
  put(0, name);
  put(100, octal(0o644, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(sizeBytes, 11));
  put(136, octal(0, 11));
  // The checksum is calculated with spaces in its own place.
  put(148, '        ');
  put(156, '0');
  put(257, 'ustar\x0000');
  put(345, prefix);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)} `);
  return block;
}

/** The name field holds 100 bytes; the prefix field holds 155 bytes before one of the slashes. */
function splitPath(path: string): { prefix: string; name: string } {
  const fits = (text: string, bytes: number) => encoder.encode(text).length <= bytes;
  if (fits(path, 100)) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (fits(prefix, 155) && fits(name, 100)) return { prefix, name };
  }
  throw new RangeError(`The path ${path} is too long for a tar archive.`);
}
