import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportRecord } from '../../../../src/features/pets/import/imports-store.js';
import { openRejectedLines } from '../../../../src/features/pets/import/rejected-lines.js';
import { useTemporaryFolder } from '../../../support/temporary-folder.js';

const folder = useTemporaryFolder();

test('a continued run keeps what earlier runs listed, and drops an incomplete end', async () => {
  const path = join(folder(), 'pets.ndjson.rejected');
  await writeFile(
    path,
    '{"line":3,"reason":"first"}\n{"line":12,"reason":"begun"}\n{"line":14,"rea{"line":15,"reason":"begun"}\n',
  );
  const begun = { start: { offset: 10, line: 11 }, end: { offset: 20, line: 21 }, firstId: 1n };
  const record: ImportRecord = {
    id: 'file',
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
  expect(await readFile(path, 'utf8')).toBe(
    '{"line":3,"reason":"first"}\n{"line":12,"reason":"again"}\n{"line":15,"reason":"again"}\n',
  );
  expect(await readdir(folder())).toEqual(['pets.ndjson.rejected']);
});

test('a new import lists its own lines only, and leaves no empty list', async () => {
  const path = join(folder(), 'pets.ndjson.rejected');
  await writeFile(path, '{"line":1,"reason":"of an import with --again"}\n');
  const rejected = openRejectedLines(path, {
    id: 'file',
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
  expect(await readFile(path, 'utf8')).toBe('{"line":2,"reason":"name: is required"}\n');
});
