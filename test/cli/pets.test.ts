import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { link, lstat, readFile, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../src/lib/sha256.js';
import { startChild } from '../support/child.js';
import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';
import { rawDatabase } from '../support/raw-database.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { startWire, type SilentWire } from '../support/wire.js';
import { withResolvers } from '../support/with-resolvers.js';

const folder = useTemporaryFolder();
const databases: ReturnType<typeof freshDatabase>[] = [];
afterAll(() => Promise.all(databases.map((database) => database.drop())));

function newDatabase() {
  const database = freshDatabase();
  databases.push(database);
  const run = (...args: string[]) => runCommand(database, ['pets', ...args, '--json']);
  return {
    ...database,
    run,
    /** Imports a file that has no faults. */
    imported: async (path: string) =>
      expect(await run('import', path)).toMatchObject({ code: 0, stderr: '' }),
    exported: async () => {
      const { code, stdout, stderr } = await run('export');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout.split('\n').slice(0, -1);
    },
  };
}

const file = () => join(folder(), 'pets.ndjson');
/** An entry of the list of rejected lines. */
const entry = (line: number, reason: unknown) => ({
  line,
  reason,
  import: sha256(readFileSync(file())).slice(0, 16),
});
const linesOf = async (path: string) => (await readFile(path, 'utf8')).split('\n').slice(0, -1);

test('import adds every valid line, to the last digit, and lists the others by line number', async () => {
  const { run, exported } = newDatabase();
  await writeFile(
    file(),
    [
      '{"name":"Pixel","categoryId":9007199254740993,"status":"sold"}',
      '{"name":"","categoryId":1}',
      '',
      'no JSON',
      `{"name":"${'x'.repeat(70_000)}","categoryId":1}`,
      '{"name":"id","categoryId":-9223372036854775808}\r',
      Buffer.from([0xff]).toString('latin1'),
      '{"name":"twice","name":"twice","categoryId":1}',
      '{"name":"Last","categoryId":3}',
    ].join('\n'),
    'latin1',
  );
  const { code, stdout, stderr } = await run('import', file());
  expect(JSON.parse(stdout)).toMatchObject({ imported: 3, unchanged: 0, rejected: 5 });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `error: 5 lines were rejected. ${file()}.rejected lists them with the reasons.\n`,
  });
  expect((await linesOf(`${file()}.rejected`)).map((line) => JSON.parse(line) as unknown)).toEqual([
    entry(2, 'name: must not be blank'),
    entry(4, expect.stringContaining('not JSON') as string),
    entry(5, 'is longer than 65536 bytes'),
    entry(7, 'body: is not valid UTF-8'),
    entry(8, 'name: the member occurs twice'),
  ]);
  expect(await exported()).toEqual([
    '{"id":1,"name":"Pixel","categoryId":9007199254740993,"status":"sold"}',
    '{"id":2,"name":"id","categoryId":-9223372036854775808,"status":"available"}',
    '{"id":3,"name":"Last","categoryId":3,"status":"available"}',
  ]);
});

test('the import stops if it cannot list rejected lines, and lists them when it continues', async () => {
  const { run } = newDatabase();
  await writeFile(file(), '{"name":"Pixel","categoryId":1}\nno JSON\n');
  const stopped = await run('import', file(), '--rejected', join(folder(), 'no', 'folder'));
  expect(stopped.code).toBe(1);
  expect(stopped.stderr).toMatch(/^error: .*no such file or directory.*\n$/);
  const { code, stdout } = await run('import', file());
  expect({ code, counts: JSON.parse(stdout) as unknown }).toMatchObject({
    code: 1,
    counts: { imported: 1, rejected: 1 },
  });
  expect(await linesOf(`${file()}.rejected`)).toHaveLength(1);
});

const GOOD_AND_BAD = '{"name":"Pixel","categoryId":1}\nno JSON\n';

test.each([
  ['the file itself', (source: string) => Promise.resolve(source)],
  [
    'a symbolic link to the file',
    async (source: string) => {
      await symlink(source, join(folder(), 'other'));
      return join(folder(), 'other');
    },
  ],
  [
    'a hard link to the file',
    async (source: string) => {
      await link(source, join(folder(), 'other'));
      return join(folder(), 'other');
    },
  ],
])('--rejected does not take %s, and nothing is imported', async (_, other) => {
  const { run, exported } = newDatabase();
  for (const text of [GOOD_AND_BAD, '{"name":"Pixel","categoryId":1}\n']) {
    await writeFile(file(), text);
    const path = await other(file());
    const { code, stderr } = await run('import', file(), '--rejected', path, '--overwrite');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: --rejected: ${path} is the file to import. Choose another name for the list of rejected lines\n`,
    });
    expect(await readFile(file(), 'utf8')).toBe(text);
    if (path !== file()) await rm(path);
  }
  expect(await exported()).toEqual([]);
});

/** A list of the rejected lines of another file. */
async function listOfAnother(): Promise<string> {
  const { run } = newDatabase();
  const another = join(folder(), 'another.ndjson');
  await writeFile(another, 'no JSON\n{}\n');
  expect((await run('import', another)).code).toBe(1);
  return readFile(`${another}.rejected`, 'utf8');
}

test('an import leaves every file alone that is no list of its own rejected lines', async () => {
  const { run, exported } = newDatabase();
  const texts = [
    'notes\n',
    '{"line":1,"text":"mine"}\n',
    '[1]\n',
    '{"line":1,"reason":"of nothing"}\n',
    'null\n',
    await listOfAnother(),
  ];
  const path = `${file()}.rejected`;
  for (const source of [GOOD_AND_BAD, '{"name":"Pixel","categoryId":1}\n'])
    for (const text of texts) {
      await writeFile(file(), source);
      await writeFile(path, text);
      const { code, stderr } = await run('import', file());
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr:
          `error: --rejected: ${path} exists and is no list of the rejected lines of this file. ` +
          'Choose another name with --rejected, or replace the file with --overwrite\n',
      });
      expect(await readFile(path, 'utf8')).toBe(text);
    }
  expect(await exported()).toEqual([]);

  await writeFile(file(), GOOD_AND_BAD);
  expect((await run('import', file(), '--overwrite')).code).toBe(1);
  expect(await linesOf(path)).toHaveLength(1);
  // The command made it.
  expect((await run('import', file(), '--again')).code).toBe(1);
  expect(await linesOf(path)).toHaveLength(1);
  expect((await readdir(folder())).sort()).toEqual([
    'another.ndjson',
    'another.ndjson.rejected',
    'pets.ndjson',
    'pets.ndjson.rejected',
  ]);
});

test('an import that is refused for its list can still be refused as imported before', async () => {
  const { run, exported } = newDatabase();
  await writeFile(file(), '{"name":"Pixel","categoryId":1}\n');
  expect((await run('import', file())).code).toBe(0);
  await writeFile(`${file()}.rejected`, 'notes');
  expect((await run('import', file(), '--again')).code).toBe(2);
  await rm(`${file()}.rejected`);
  expect((await run('import', file())).stderr).toMatch(/was imported on .*--again/);
  expect(await exported()).toHaveLength(1);
});

test('--rejected takes no pipe, folder or dangling link, and keeps a link to a list', async () => {
  const { run } = newDatabase();
  await writeFile(file(), GOOD_AND_BAD);
  const other = join(folder(), 'other');
  execFileSync('mkfifo', [other]);
  for (const path of [other, folder()]) {
    const { code, stderr } = await run('import', file(), '--rejected', path, '--overwrite');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: --rejected: ${path} is not a regular file. Choose another name\n`,
    });
  }
  expect((await lstat(other)).isFIFO()).toBe(true);
  await rm(other);
  const target = join(folder(), 'target');
  await symlink(target, other);
  expect((await run('import', file(), '--rejected', other)).stderr).toMatch(/is not a regular file/);
  await writeFile(target, '');
  expect((await run('import', file(), '--rejected', other)).code).toBe(1);
  expect((await lstat(other)).isSymbolicLink()).toBe(true);
  expect(await linesOf(target)).toHaveLength(1);
});

test('a list takes the place of no file beside it', async () => {
  const { run } = newDatabase();
  await writeFile(file(), GOOD_AND_BAD);
  await writeFile(`${file()}.rejected.new`, 'mine');
  expect((await run('import', file())).code).toBe(1);
  expect(await readFile(`${file()}.rejected.new`, 'utf8')).toBe('mine');
});

test('a file is imported once; --again adds its pets once more', async () => {
  const { run, exported } = newDatabase();
  await writeFile(file(), '{"name":"Pixel","categoryId":1}\n');
  expect(await run('import', file())).toMatchObject({ code: 0, stderr: '' });
  const second = await run('import', file());
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(/was imported on .*--again/);
  expect(await exported()).toHaveLength(1);
  expect((await run('import', file(), '--again')).code).toBe(0);
  expect(await exported()).toHaveLength(2);
});

test('an id that is written with escapes is reserved like any other', async () => {
  const { imported, exported } = newDatabase();
  await writeFile(file(), '{"\\u0069d":3,"name":"A","categoryId":1}\n');
  await imported(file());
  const more = join(folder(), 'more.ndjson');
  await writeFile(more, '{"name":"B","categoryId":1}\n');
  await imported(more);
  expect((await exported()).map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([3, 4]);
});

test('`export -` writes to standard output what `export` writes', async () => {
  const { run, exported, imported } = newDatabase();
  await writeFile(file(), '{"id":3,"name":"Rex","categoryId":2}\n');
  await imported(file());
  const { code, stdout } = await run('export', '-');
  expect({ code, lines: stdout.split('\n').slice(0, -1) }).toEqual({ code: 0, lines: await exported() });
  expect(stdout).toBe('{"id":3,"name":"Rex","categoryId":2,"status":"available"}\n');
});

test('an export that cannot be written fails with the reason', async () => {
  const { run } = newDatabase();
  expect(await run('export', join(folder(), 'no', 'folder'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no such file or directory') as string,
  });
});

test('an import keeps the ids of an export, and new pets get other ids', async () => {
  const [from, to] = [newDatabase(), newDatabase()];
  await writeFile(file(), '{"name":"A","categoryId":1}\n{"id":5000000000,"name":"B","categoryId":2}\n');
  await from.imported(file());
  const out = join(folder(), 'exported.ndjson');
  expect(await from.run('export', out)).toEqual({ code: 0, stdout: '', stderr: '' });
  await to.imported(out);
  expect(await to.exported()).toEqual(await from.exported());

  const more = join(folder(), 'more.ndjson');
  await writeFile(more, '{"name":"C","categoryId":1}\n');
  await to.imported(more);
  expect((await to.exported()).at(-1)).toBe(
    '{"id":5000000002,"name":"C","categoryId":1,"status":"available"}',
  );
});

test('an import never overwrites a pet, and takes no id that another pet can get', async () => {
  const { run, imported, exported } = newDatabase();
  await writeFile(file(), '{"id":3,"name":"A","categoryId":1}\n{"id":7,"name":"B","categoryId":1}\n');
  await imported(file());
  const other = join(folder(), 'other.ndjson');
  const lines = [
    '{"id":3,"name":"A","categoryId":1,"status":"available"}',
    '{"id":7,"name":"not B","categoryId":1}',
    '{"id":5,"name":"between","categoryId":1}',
    '{"id":0,"name":"below","categoryId":1}',
    '{"id":8,"name":"C","categoryId":1}',
    '{"id":8,"name":"not C","categoryId":1}',
  ];
  await writeFile(other, lines.join('\n'));
  expect(JSON.parse((await run('import', other)).stdout)).toMatchObject({
    imported: 1,
    unchanged: 1,
    rejected: 4,
  });
  expect(
    (await linesOf(`${other}.rejected`)).map((line) => (JSON.parse(line) as { line: number }).line),
  ).toEqual([2, 3, 4, 6]);
  expect((await exported()).map((line) => (JSON.parse(line) as { name: string }).name)).toEqual([
    'A',
    'B',
    'C',
  ]);
});

test('an interrupted export continues; other files stay unchanged', async () => {
  const { run, imported } = newDatabase();
  await writeFile(
    file(),
    Array.from({ length: 1500 }, (_, i) => `{"name":"p${i}","categoryId":1}\n`).join(''),
  );
  await imported(file());
  const out = join(folder(), 'exported.ndjson');
  await run('export', out);
  const whole = await readFile(out, 'utf8');
  for (const bytes of [whole.length - 20, 3, 0]) {
    await truncate(out, bytes);
    expect(await run('export', out)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(out, 'utf8')).toBe(whole);
  }
  const [first = ''] = whole.split('\n');
  const others = [
    'notes',
    'one\ntwo\n',
    '{"id":"x"}\n',
    // A file of somebody's, whose beginning or end an export has too.
    '{"id":1,"owner":"mine"}',
    '{"id":1,"name":"A","categoryId":1,"status":"sold","more":1}\n',
    '{"name":"first","categoryId":1}\n{"id":2,"name":"B","categoryId":1}\n',
    `${first}\nnotes`,
    `${first}\n{"id":4,"owner":"mine"}`,
    `notes\n${first}\n`,
  ];
  for (const text of others) {
    await writeFile(out, text);
    expect([text, await run('export', out)]).toEqual([
      text,
      {
        code: 2,
        stdout: '',
        stderr: `error: FILE: ${out} exists and is no export of pets. Choose another name\n`,
      },
    ]);
    expect(await readFile(out, 'utf8')).toBe(text);
  }
});

test('an export of one status continues no export of others', async () => {
  const { run, imported } = newDatabase();
  await writeFile(file(), '{"name":"A","categoryId":1,"status":"sold"}\n{"name":"B","categoryId":1}\n');
  await imported(file());
  const out = join(folder(), 'exported.ndjson');
  await run('export', out);
  const whole = await readFile(out, 'utf8');
  expect(await run('export', out, '--status', 'sold')).toMatchObject({ code: 2 });
  expect(await readFile(out, 'utf8')).toBe(whole);
  // The last line is whole, and has no end.
  await truncate(out, whole.length - 1);
  expect(await run('export', out)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await readFile(out, 'utf8')).toBe(whole);
});

/** More than is begun before the first of it is in: a batch has 1 MiB. */
const MANY_LINES = 10_000;
const longLine = (json: string) => `${json.padEnd(1000)}\n`;

/**
 * A wire on which an import comes to a halt, once, when it has recorded progress amid its pets, however fast it is. It
 * knows these two commands by their BSON.
 */
async function heldImport(uri: string): Promise<SilentWire & { halt: Promise<unknown> }> {
  const { promise: halt, resolve } = withResolvers<unknown>();
  let at: 'start' | 'pets' | 'halt' = 'start';
  const wire = await startWire(uri, (bytes) => {
    if (at === 'start' && bytes.includes('insert\0\x05\0\0\0pets\0')) at = 'pets';
    else if (at === 'pets' && bytes.includes('update\0\x08\0\0\0imports\0')) {
      at = 'halt';
      wire.hold();
      resolve(undefined);
    }
  });
  return { ...wire, halt };
}

test('after kill -9, the import continues: each pet once, each bad line once', async () => {
  const { run, uri, dbName, exported } = newDatabase();
  const out = createWriteStream(file());
  const bad = MANY_LINES / 100;
  for (let i = 1; i <= MANY_LINES; i += 1)
    out.write(longLine(i % 100 === 0 ? '{"name":""}' : `{"name":"pet ${i}","categoryId":${i}}`));
  out.end();
  await once(out, 'finish');

  const connection = await rawDatabase({ databaseName: dbName });
  try {
    const imports = connection.collection('imports');
    const progressOf = async () => {
      const record = await imports.findOne({});
      return Number((record?.['next'] as { line: bigint } | undefined)?.line ?? 0);
    };
    let lastLine = 1;
    for (let kills = 0; kills < 2; kills += 1) {
      const wire = await heldImport(uri);
      const child = startChild('cli-process.cjs', wire.uri, 'pets', 'import', file());
      const before = lastLine;
      await wire.halt;
      lastLine = await until('some progress', async () => {
        const line = await progressOf();
        return line > before ? line : undefined;
      });
      await child.kill();
      wire.close();
    }
    expect(lastLine).toBeLessThan(MANY_LINES);
  } finally {
    await connection.close();
  }
  // --again is for what was imported to its end: this is still gone on with.
  const { stdout } = await run('import', file(), '--again');
  expect(JSON.parse(stdout)).toMatchObject({ imported: MANY_LINES - bad, unchanged: 0, rejected: bad });
  expect(await linesOf(`${file()}.rejected`)).toHaveLength(bad);
  const names = (await exported()).map((line) => (JSON.parse(line) as { name: string }).name);
  expect(new Set(names).size).toBe(MANY_LINES - bad);
  expect(names).toHaveLength(MANY_LINES - bad);
});

test('Ctrl-C stops the import at a recorded place, says how far it came, and the same command goes on', async () => {
  const { run, uri, exported } = newDatabase();
  const lines = Array.from({ length: MANY_LINES }, (_, i) => longLine(`{"name":"pet ${i}","categoryId":1}`));
  await writeFile(file(), lines.join(''));
  const register = join(__dirname, '../support/register-typescript.cjs');
  const program = join(__dirname, '../support/cli-process.cjs');
  const wire = await heldImport(uri);
  const child = spawn(
    process.execPath,
    ['--require', register, program, wire.uri, 'pets', 'import', file()],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const closed = once(child, 'close');
  await wire.halt;
  child.kill('SIGINT');
  wire.release();
  await closed;
  wire.close();
  expect(child.exitCode).toBe(130);
  const [, line, imported] =
    /^You stopped the import after line (\d+): (\d+) pets imported, 0 lines rejected\. To continue, run the same command again\.\n$/.exec(
      stderr,
    ) ?? [];
  expect([line, (await exported()).length]).toEqual([imported, Number(imported)]);
  expect(JSON.parse((await run('import', file())).stdout)).toMatchObject({
    imported: MANY_LINES,
    rejected: 0,
  });
  expect(await exported()).toHaveLength(MANY_LINES);
});

test('no file, an empty file', async () => {
  const { run } = newDatabase();
  expect(await run('import', join(folder(), 'none'))).toMatchObject({ code: 2, stdout: '' });
  await writeFile(file(), '');
  expect(JSON.parse((await run('import', file())).stdout)).toMatchObject({ imported: 0, rejected: 0 });
});
