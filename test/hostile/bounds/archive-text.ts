import { gzipSync } from 'node:zlib';

const BLOCK = 512;

/** An archive from a text: a letter for each entry, each with a name of its own. What is no letter of these is none. */
const ENTRIES: Readonly<Record<string, (name: string) => Buffer>> = {
  d: (name) => header(`${name}/`, '5', 0),
  D: (name) => header(`${name}/`, '5', BLOCK),
  e: (name) => header(name, '0', 0),
  f: (name) => Buffer.concat([header(name, '0', BLOCK), Buffer.alloc(BLOCK, name)]),
  F: (name) => Buffer.concat([header(name, '0', 64 * BLOCK), Buffer.alloc(64 * BLOCK)]),
  h: (name) => header(`.hidden/${name}`, '0', 0),
  s: (name) => header(name, '2', 0),
  p: (name) => pax('x', { path: `${'a/'.repeat(100)}${name}` }),
  g: () => pax('g', { comment: 'x' }),
  // A file with holes, and a map of 120 empty parts.
  m: (name) => {
    const sparse = { major: '1', minor: '0', name, realsize: String(BLOCK) };
    const records = Object.entries(sparse).map(([key, value]) => [`GNU.sparse.${key}`, value]);
    const map = Buffer.from(`120\n${'0\n'.repeat(240)}`.padEnd(BLOCK, '\0'));
    return Buffer.concat([
      pax('x', Object.fromEntries(records) as Record<string, string>),
      header(name, '0', BLOCK),
      map,
    ]);
  },
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

/** A pax header with these records. */
function pax(type: 'x' | 'g', values: Readonly<Record<string, string>>): Buffer {
  const records = Object.entries(values).map(([keyword, value]) => {
    const record = (length: number) => `${length} ${keyword}=${value}\n`;
    const bare = record(0).length - 1;
    return record(bare + String(bare + 3).length);
  });
  const content = records.join('');
  const padded = Math.ceil(content.length / BLOCK) * BLOCK;
  return Buffer.concat([header('pax', type, content.length), Buffer.from(content.padEnd(padded, '\0'))]);
}
