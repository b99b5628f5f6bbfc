import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../support/command-line.js';
import { useGateway } from '../support/gateway.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const folder = useTemporaryFolder();
const gateway = useGateway();

function databaseOfGateway() {
  const url = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  url.pathname = `/${gateway.databaseName}`;
  return { uri: url.href };
}

/** Runs `pets …` on one project, over the database or over the API with an owner's key. */
async function newShelter(way: string) {
  const { apiKey, secret } = await gateway.keyOn('business', undefined, { role: 'owner' });
  const projectId = apiKey.projectId ?? '';
  const ofApi = way === 'the API';
  const [args, env] = ofApi ? [['--gateway', gateway.url], { PETS_GATEWAY_KEY: secret }] : [[], {}];
  const ofProject = ofApi ? [] : ['--project', projectId];
  const run = (...more: string[]) => runCommand(databaseOfGateway(), ['pets', ...more, ...args], env);
  return {
    ofProject,
    run,
    json: async <T>(...more: string[]): Promise<T> => {
      const { code, stdout, stderr } = await run(...more, '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout) as T;
    },
  };
}

interface Row {
  id: string;
  name: string;
  status: string;
}

describe.each(['the database', 'the API'])('over %s', (way) => {
  test('an animal is added, shown, listed, changed and removed', async () => {
    const { json, run, ofProject } = await newShelter(way);
    const big = '9007199254740993';
    const rex = await json<Row>('add', '--name', 'Rex', '--category', big, ...ofProject);
    expect(rex).toMatchObject({ name: 'Rex', categoryId: big, status: 'available', externalId: null });
    const tom = await json<Row>('add', '--name', 'Tom', '--category', '-1', '--status', 'sold', ...ofProject);
    expect(await json('show', rex.id)).toEqual(rex);
    expect((await json<Row[]>('list', ...ofProject)).map(({ name }) => name)).toEqual(['Rex', 'Tom']);
    expect(await json('list', ...ofProject, '--status', 'sold')).toEqual([tom]);
    expect(await json('list', ...ofProject, '--name', 're')).toEqual([rex]);
    const reserve = ['update', rex.id, '--status', 'pending', '--if-status', 'available'];
    expect(await json(...reserve)).toEqual({ ...rex, status: 'pending' });
    const late = await run(...reserve);
    expect(late.code).toBe(1);
    expect(late.stderr).toMatch(/its status is pending/);
    expect(await json('delete', rex.id, '--yes')).toMatchObject({ id: rex.id });
    expect((await run('show', rex.id)).code).toBe(1);
    expect(await json('list', ...ofProject)).toEqual([tom]);
    expect((await run('list', ...ofProject)).stdout).toMatch(/^id +name +category id +status/);
  });

  test('an animal is found by exactly its own number, of its project alone', async () => {
    const [{ json, run, ofProject }, foreign] = [await newShelter(way), await newShelter(way)];
    const file = join(folder(), 'numbered.ndjson');
    const line = (externalId: string, name: string) =>
      `${JSON.stringify({ externalId, name, categoryId: 1 })}\n`;
    await writeFile(file, line('A-1', 'Rex') + line('A-11', 'Tom'));
    await json('import', file, ...ofProject);
    await writeFile(file, line('A-1', 'Foreign') + line('F-1', 'Of others'));
    await foreign.json('import', file, ...foreign.ofProject);
    const find = async (...more: string[]) =>
      (await json<Row[]>('list', ...ofProject, '--own-number', ...more)).map(({ name }) => name);
    expect(await find('A-1')).toEqual(['Rex']);
    expect(await find('A-1', '--everybody')).toEqual(['Rex']);
    expect(await find('A-1', '--name', 're', '--status', 'available')).toEqual(['Rex']);
    for (const [number = '', ...more] of [['A'], ['F-1'], ['A-1', '--status', 'sold']])
      expect(await find(number, ...more)).toEqual([]);
    const blank = await run('list', ...ofProject, '--own-number', ' ');
    expect([blank.code, blank.stderr]).toEqual([
      2,
      expect.stringContaining('--own-number: must not be blank'),
    ]);
  });

  test('wrong arguments end with exit code 2', async () => {
    const { run } = await newShelter(way);
    for (const args of [
      ['show', 'x'],
      ['update', '1'],
      ['add', '--name', 'Rex'],
      ['delete', '9223372036854775808'],
    ])
      expect((await run(...args)).code).toBe(2);
  });

  test.each(['csv', 'ndjson'])('an export as %s can be imported, and changes nothing', async (format) => {
    const { json, run, ofProject } = await newShelter(way);
    const path = join(folder(), `animals.${format}`);
    const names = ['=1+1', "'=x", '"quoted", and\r\nbroken', 'Ζωή 🐕', ' spaced '];
    const lines = names.map((name, i) => JSON.stringify({ externalId: `-${i}`, name, categoryId: -i }));
    await writeFile(join(folder(), 'in.ndjson'), lines.join('\n'));
    await json('import', join(folder(), 'in.ndjson'), ...ofProject);
    expect(await run('export', path, '--format', format, ...ofProject)).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await readFile(path, 'utf8')).toMatch(
      format === 'csv' ? /^externalId,name,/ : /^\{"externalId":"-0"/,
    );
    const again = await json('import', path, '--existing', 'replace', '--delete-missing', ...ofProject);
    expect(again).toMatchObject({ unchanged: names.length, added: 0, changed: 0, removed: 0, rejected: 0 });
    expect((await run('export', path, '--format', format, ...ofProject)).code).toBe(1);
    expect((await run('export', '-', '--format', format, ...ofProject)).stdout).toBe(
      await readFile(path, 'utf8'),
    );
  });
});

test('what is added, changed and removed in the database is in the audit log, with old and new values', async () => {
  const { json, run, ofProject } = await newShelter('the database');
  const { id } = await json<Row>('add', '--name', 'Rex', '--category', '2', ...ofProject);
  await json('update', id, '--status', 'sold');
  await json('delete', id, '--yes');
  await run('delete', id, '--yes');
  const [, projectId = ''] = ofProject;
  const { records } = await gateway.services.audit.list({ first: 10, target: { projectId } });
  const rex = { name: 'Rex', categoryId: '2', status: 'available' };
  const sold = { ...rex, status: 'sold' };
  const nothing = { name: null, categoryId: null, status: null };
  const ofRex = records.filter(({ target }) => target.petId === id);
  expect(ofRex.map(({ action, actor, before, after }) => [action, actor.role, before, after])).toEqual([
    ['pet.delete', 'command line', sold, nothing],
    ['pet.update', 'command line', rex, sold],
    ['pet.create', 'command line', undefined, rex],
  ]);
});

test('an own number is looked for in one project: of several, the command names one', async () => {
  await newShelter('the database');
  await newShelter('the database');
  const { code, stderr } = await runCommand(databaseOfGateway(), ['pets', 'list', '--own-number', 'A-1']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--project: choose one of the projects')]);
});

test('an admin key names the project of an own number', async () => {
  const { secret } = await gateway.services.apiKeys.create({ name: 'Admin', role: 'admin' });
  const { apiKey } = await gateway.keyOn('business');
  const find = (...more: string[]) =>
    runCommand(
      databaseOfGateway(),
      ['pets', 'list', '--own-number', 'A-1', '--gateway', gateway.url, ...more],
      { PETS_GATEWAY_KEY: secret },
    );
  expect((await find()).stderr).toContain('projectId: is required');
  expect(await find('--project', apiKey.projectId ?? '', '--json')).toMatchObject({
    code: 0,
    stdout: '[]\n',
  });
});

test('an animal is added to no project that does not exist', async () => {
  const { code, stderr } = await runCommand(databaseOfGateway(), [
    ...['pets', 'add', '--name', 'Rex', '--category', '2', '--project', 'proj_none'],
  ]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('proj_none')]);
});
