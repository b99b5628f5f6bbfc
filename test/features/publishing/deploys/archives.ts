import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';

/** A name with its text, or a whole entry. */
export type TestEntry = readonly [string, string | Buffer] | Partial<Header>;

/** A tar of just these entries, whatever their names. */
export async function tarOf(...entries: readonly TestEntry[]): Promise<Buffer> {
  const packing = pack();
  for (const entry of entries)
    if (Array.isArray(entry)) packing.entry({ name: entry[0] as string }, entry[1] as string | Buffer);
    else packing.entry({ name: 'x', ...(entry as Partial<Header>) }, '');
  packing.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of packing as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function tarGzOf(...entries: readonly TestEntry[]): Promise<Buffer> {
  return gzipSync(await tarOf(...entries));
}

/** The smallest possible site, recognizable by its text. */
export const siteOf = (text: string): Promise<Buffer> => tarGzOf(['index.html', `<h1>${text}</h1>`]);
