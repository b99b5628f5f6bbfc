import { gzipSync } from 'node:zlib';

const BLOCK = 512;

/** An archive from a text: a letter for each entry, each with a name of its own. What is no letter of these is none. */
const ENTRIES: Readonly<Record<string, (name: string) => Buffer>> = {
  d: (name) => header(`${name}/`, '5', 0),
  e: (name) => header(name, '0', 0),
  f: (name) => Buffer.concat([header(name, '0', BLOCK), Buffer.alloc(BLOCK, name)]),
  F: (name) => Buffer.concat([header(name, '0', 64 * BLOCK), Buffer.alloc(64 * BLOCK)]),
  h: (name) => header(`.hidden/${name}`, '0', 0),
  s: (name) => header(name, '2', 0),
  p: (name) => Buffer.concat([header('pax', 'x', BLOCK), pax(`${'a/'.repeat(100)}${name}`)]),
  g: () => Buffer.concat([header('pax', 'g', BLOCK), pax('index.html')]),
  L: (name) => Buffer.concat([header('long', 'L', BLOCK), Buffer.alloc(BLOCK, name)]),
  z: () => Buffer.alloc(BLOCK),
  x: (name) => Buffer.alloc(BLOCK, name),
};

export function archiveOf(text: string): Buffer {
  const blocks = Array.from(text, (letter, i) => ENTRIES[letter]?.(`f${i}`)).filter(
    (block) => block !== undefined,
  );
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 6 });
}

/** The letters that there are. */
export const LETTERS: readonly string[] = Object.keys(ENTRIES);

function header(name: string, type: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100);
  block.write('000644 ', 100);
  block.write('000000 ', 108);
  block.write('000000 ', 116);
  block.write(`${size.toString(8).padStart(11, '0')} `, 124);
  block.write('00000000000 ', 136);
  block.fill(' ', 148, 156);
  block.write(type, 156);
  block.write('index.html', 157);
  block.write('ustar', 257);
  block.write('00', 263);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0`, 148);
  return block;
}

function pax(path: string): Buffer {
  const block = Buffer.alloc(BLOCK, '\n');
  const record = (length: number) => `${length} path=${path}\n`;
  const bare = record(0).length - 1;
  block.write(record(bare + String(bare + 3).length));
  return block;
}
