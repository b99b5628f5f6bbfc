import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LinePlace } from '../../../../src/features/pets/import/imports-store.js';
import { readLines, type Line, type Lines } from '../../../../src/features/pets/import/read-lines.js';
import { useTemporaryFolder } from '../../../support/temporary-folder.js';

const folder = useTemporaryFolder();
const START = { offset: 0, line: 1 };
const MOST = 64 * 1024;
const tooLong = { unreadable: 'is longer than 65536 bytes' };

async function fileOf(...parts: readonly (string | Buffer)[]): Promise<string> {
  const path = join(folder(), 'lines');
  await writeFile(path, Buffer.concat(parts.map((part) => Buffer.from(part))));
  return path;
}

async function read(path: string, from: LinePlace = START, endOffset?: number): Promise<Lines[]> {
  const batches: Lines[] = [];
  for await (const batch of readLines(path, from, endOffset)) batches.push(batch);
  return batches;
}

const linesOf = (batches: readonly Lines[]): Line[] => batches.flatMap(({ lines }) => lines);

test('returns each line without its line ending', async () => {
  expect(linesOf(await read(await fileOf('a\n\nb\r\n\r\nc')))).toEqual(['a', '', 'b', '', 'c']);
  expect(linesOf(await read(await fileOf('a\n')))).toEqual(['a']);
  expect(linesOf(await read(await fileOf('\n')))).toEqual(['']);
  expect(await read(await fileOf(''))).toEqual([]);
});

test('a line that is not UTF-8 does not affect other lines', async () => {
  const path = await fileOf('Zoë\n', Buffer.from([0x61, 0xff]), '\n🐈\r\n');
  expect(linesOf(await read(path))).toEqual(['Zoë', { unreadable: 'body: is not valid UTF-8' }, '🐈']);
});

test('a line can have 64 KiB; skips a longer line, however long it is', async () => {
  const two = 'ë'.repeat(MOST / 2);
  const path = await fileOf(
    two,
    '\n',
    two,
    'x\nnext\n',
    'y'.repeat(3 * 1024 * 1024),
    '\nlast\n',
    'z'.repeat(MOST + 1),
  );
  expect(linesOf(await read(path))).toEqual([two, tooLong, 'next', tooLong, 'last', tooLong]);
});

test('a file that is one endless line ends', async () => {
  expect(linesOf(await read(await fileOf('y'.repeat(2 * 1024 * 1024))))).toEqual([tooLong]);
});

test('from the end of any batch on, the rest is read; and to it, what came before', async () => {
  const lines = Array.from({ length: 25_000 }, (_, i) => `line ${i + 1} ${'ë'.repeat(i % 90)}`);
  const path = await fileOf(lines.join('\n'));
  const batches = await read(path);
  expect(batches.length).toBeGreaterThan(2);
  expect(linesOf(batches)).toEqual(lines);
  for (const { end } of batches) {
    expect(linesOf(await read(path, end))).toEqual(lines.slice(end.line - 1));
    expect(linesOf(await read(path, START, end.offset))).toEqual(lines.slice(0, end.line - 1));
  }
});

test('a file that becomes shorter while it is read is an error', async () => {
  const path = await fileOf('y\n'.repeat(1024 * 1024));
  const batches = readLines(path, START);
  await batches.next();
  await truncate(path, 100);
  await expect(batches.next()).rejects.toThrow(`${path} became shorter while it was read`);
});
