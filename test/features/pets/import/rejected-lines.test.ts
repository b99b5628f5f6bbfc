import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportRecord } from '../../../../src/features/pets/import/imports-store.js';
import { openRejectedLines } from '../../../../src/features/pets/import/rejected-lines.js';
import { useTemporaryFolder } from '../../../support/temporary-folder.js';

const folder = useTemporaryFolder();
const ID = '0123456789abcdef'.repeat(4);
const entry = (line: number, reason: string) =>
  `{"line":${line},"reason":"${reason}","import":"0123456789abcdef"}\n`;

test('a continued run keeps what earlier runs listed, and drops an incomplete end', async () => {
  const path = join(folder(), 'pets.ndjson.rejected');
  await writeFile(path, `${entry(3, 'first')}${entry(12, 'begun')}{"line":14,"rea${entry(15, 'begun')}`);
  const begun = { start: { offset: 10, line: 11 }, end: { offset: 20, line: 21 }, firstId: 1n };
  const record: ImportRecord = {
    id: ID,
    startedAt: new Date(),
    run: 'second',
    idsAbove: 0n,
    next: begun.end,
    pending: [begun],
    counts: { imported: 9, unchanged: 0, rejected: 1 },
  };
  const rejected = openRejectedLines(path, record);
  rejected.add([{ line: 15, reason: 'again' }]);
  rejected.add([{ line: 12, reason: 'again' }]);
  rejected.add([{ line: 12, reason: 'again' }]);
  rejected.settle();
  expect(await readFile(path, 'utf8')).toBe(entry(3, 'first') + entry(12, 'again') + entry(15, 'again'));
  expect(await readdir(folder())).toEqual(['pets.ndjson.rejected']);
});

test('a new import lists its own lines only, and leaves no empty list', async () => {
  const path = join(folder(), 'pets.ndjson.rejected');
  await writeFile(path, entry(1, 'of an import with --again'));
  const rejected = openRejectedLines(path, {
    id: ID,
    startedAt: new Date(),
    run: 'first',
    idsAbove: 0n,
    next: { offset: 0, line: 1 },
    pending: [],
    counts: { imported: 0, unchanged: 0, rejected: 0 },
  });
  expect(await readdir(folder())).toEqual([]);
  rejected.settle();
  expect(await readdir(folder())).toEqual([]);
  rejected.add([{ line: 2, reason: 'name: is required' }]);
  expect(await readFile(path, 'utf8')).toBe(entry(2, 'name: is required'));
});
