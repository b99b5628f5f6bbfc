import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';

/** A name with its text, or a whole entry. */
export type TestEntry = readonly [string, string | Buffer] | (Partial<Header> & { content?: string });

/** A tar of just these entries, whatever their names. */
export async function tarOf(...entries: readonly TestEntry[]): Promise<Buffer> {
  const packing = pack();
  for (const entry of entries)
    if (Array.isArray(entry)) packing.entry({ name: entry[0] as string }, entry[1] as string | Buffer);
    else {
      const { content = '', ...header } = entry as Partial<Header> & { content?: string };
      packing.entry({ name: 'x', ...header }, content);
    }
  packing.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of packing as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The blocks of a tar without the empty ones that end it. */
export const withoutEnd = (tar: Buffer): Buffer => tar.subarray(0, -1024);

/** Writes into the header at the beginning of a tar, and corrects its checksum. */
export function withHeader(tar: Buffer, at: number, text: string): Buffer {
  const changed = Buffer.from(tar);
  changed.write(text, at);
  changed.fill(' ', 148, 156);
  const sum = changed.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  changed.write(`${sum.toString(8).padStart(6, '0')}\0`, 148);
  return changed;
}

export async function tarGzOf(...entries: readonly TestEntry[]): Promise<Buffer> {
  return gzipSync(await tarOf(...entries));
}

/** The smallest possible site, recognizable by its text. */
export const siteOf = (text: string): Promise<Buffer> => tarGzOf(['index.html', `<h1>${text}</h1>`]);
