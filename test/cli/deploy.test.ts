import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tarGzOf } from '../features/publishing/deploys/archives.js';
import { runCommand, runJson } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const database = freshDatabase();
afterAll(() => database.drop());

const HOSTS = { PUBLIC_URL: 'https://api.example.org', PLATFORM_HOST: 'pets.example.net' };
const run = (args: readonly string[], env: Record<string, string> = HOSTS) => runCommand(database, args, env);

const json = <T>(...args: string[]) => runJson<T>(database, args, HOSTS);

interface DeployRow {
  id: string;
  number: number;
  state: string;
  live: boolean;
  files: number;
  bytes: number;
  site: string | null;
}

const temporaryFolder = useTemporaryFolder();
let folder: string;
beforeEach(async () => {
  folder = temporaryFolder();
  await writeFile(join(folder, 'index.html'), '<h1>Hi</h1>');
});

const project = async (name: string) => (await json<{ id: string }>('projects', 'create', name)).id;

test('deploy publishes a folder and prints the address; list and rollback', async () => {
  const id = await project('Zoo & Co.');
  await mkdir(join(folder, 'css'));
  await writeFile(join(folder, 'css', 'shop.css'), 'h1 { color: teal }');
  const first = await json<DeployRow>('deploy', folder, '--project', id, '--message', 'First');
  expect(first).toMatchObject({
    number: 1,
    state: 'ready',
    live: true,
    files: 2,
    bytes: 29,
    message: 'First',
    site: 'https://zoo-co.pets.example.net',
  });
  const second = await json<DeployRow>('deploy', folder, '--project', id);
  expect(second).toMatchObject({ number: 2, live: true });

  expect(await json('deploys', 'rollback', first.id)).toMatchObject({ number: 1, live: true });
  expect(await json<DeployRow[]>('deploys', 'list', '--project', id)).toMatchObject([
    { number: 2, live: false },
    { number: 1, live: true },
  ]);
});

test('prints a line for each step on a terminal', async () => {
  const { code, stdout } = await run(['deploy', folder, '--project', await project('Terminal')]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^number +1$/m);
  expect(stdout).toMatch(/^files +1$/m);
  expect(stdout).toMatch(/^site +https:\/\/terminal\.pets\.example\.net$/m);
});

test('leaves out files that do not belong to the site', async () => {
  const id = await project('Dots');
  for (const dir of ['.git', '.well-known']) await mkdir(join(folder, dir));
  await writeFile(join(folder, '.git', 'config'), 'x');
  await symlink('/etc/passwd', join(folder, '.git', 'link'));
  await writeFile(join(folder, '.DS_Store'), 'x');
  await writeFile(join(folder, '._index.html'), 'x');
  await writeFile(join(folder, '.well-known', 'security.txt'), 'x');
  expect(await json('deploy', folder, '--project', id)).toMatchObject({ files: 2 });
});

test('deploy publishes the content of a .tar.gz file', async () => {
  const id = await project('Packed');
  const file = join(folder, 'site.tar.gz');
  await writeFile(file, await tarGzOf(['./index.html', '<h1>Packed</h1>'], ['./css/a.css', 'x']));
  expect(await json('deploy', file, '--project', id)).toMatchObject({ live: true, files: 2, bytes: 16 });
});

test('--spa publishes a single-page application', async () => {
  const id = await project('App');
  expect(await json('deploy', folder, '--spa', '--project', id)).toMatchObject({ live: true, spa: true });
  expect(await json('deploy', folder, '--project', id)).toMatchObject({ live: true, spa: false });
});

test('prints no address without PLATFORM_HOST', async () => {
  const id = await project('Quiet');
  const deploy = ['deploy', folder, '--project', id];
  expect(JSON.parse((await run([...deploy, '--json'], {})).stdout)).toMatchObject({ site: null });
  expect((await run(deploy, {})).stdout).toMatch(/^site +unknown: .*PLATFORM_HOST/m);
});

test('--template publishes a built-in site', async () => {
  const id = await project('Template');
  expect(await json('deploy', '--template', 'storefront', '--project', id)).toMatchObject({
    number: 1,
    live: true,
  });
});

test('the project can be omitted if there is only one', async () => {
  const one = freshDatabase();
  try {
    const inOne = (...args: string[]) => runCommand(one, args, HOSTS);
    const none = await inOne('deploy', folder);
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no project yet') as string,
    });
    await inOne('projects', 'create', 'Only');
    expect((await inOne('deploy', folder)).code).toBe(0);
    await inOne('projects', 'create', 'Another');
    const { code, stderr } = await inOne('deploy', folder);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--project: choose one.*: only \(Only\), another \(Another\)/);
  } finally {
    await one.drop();
  }
});

describe('rejects, and publishes nothing:', () => {
  async function expectRefused(reason: string): Promise<void> {
    const id = await project('Refused');
    const { code, stdout, stderr } = await run(['deploy', folder, '--project', id]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(await json('deploys', 'list', '--project', id)).toEqual([]);
  }

  test('a link, by its name', async () => {
    await mkdir(join(folder, 'img'));
    await symlink('/etc/passwd', join(folder, 'img', 'cat.png'));
    await expectRefused('"img/cat.png" is a link');
  });

  test('a folder without index.html', async () => {
    await rm(join(folder, 'index.html'));
    await expectRefused('no index.html');
  });

  test('two names that differ only in case', async () => {
    await writeFile(join(folder, 'a.css'), '');
    await writeFile(join(folder, 'A.css'), '');
    await expectRefused('in case only');
  });

  test('a file that is too large, without reading it', async () => {
    await writeFile(join(folder, 'movie.mp4'), Buffer.alloc(11 * 1024 * 1024));
    await expectRefused('larger than 10 MiB');
  });

  test('a folder and a template at once, or neither', async () => {
    expect((await run(['deploy', folder, '--template', 'storefront'])).code).toBe(2);
    expect((await run(['deploy'])).code).toBe(2);
  });

  test('a folder that does not exist', async () => {
    const id = await project('Nowhere');
    for (const dir of ['none', 'index.html/none']) {
      const { code, stderr } = await run(['deploy', join(folder, dir), '--project', id]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/DIR: there is no folder and no \.tar\.gz file ".*"/);
    }
  });

  test('a file that is no archive, and an archive with a folder in it', async () => {
    const id = await project('Packed wrong');
    await writeFile(join(folder, 'site.zip'), 'PK\u0003\u0004');
    const wrapped = join(folder, 'wrapped.tar.gz');
    await writeFile(wrapped, await tarGzOf(['site/index.html', 'x']));
    for (const [file, reason] of [
      ['site.zip', 'DIR: The archive is not gzip, but a zip file. Make a .tar.gz file'],
      ['wrapped.tar.gz', 'all files are in the folder "site"'],
    ] as const) {
      const { code, stderr } = await run(['deploy', join(folder, file), '--project', id]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    }
    expect(await json('deploys', 'list', '--project', id)).toEqual([]);
  });

  test('a project or a deploy that does not exist', async () => {
    expect((await run(['deploy', folder, '--project', 'proj_none'])).code).toBe(1);
    expect((await run(['deploys', 'rollback', 'dep_none'])).code).toBe(1);
  });
});
