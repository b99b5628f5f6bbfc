import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { testMongod } from '../support/mongod.js';
import { readmeCommands } from '../support/readme.js';

const root = resolve(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'contributing-'));
const clone = join(folder, 'clone');
beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', root, clone]);
  // What is linked and not complete, npm would empty first.
  execFileSync(process.execPath, [join(root, 'scripts/tools.mjs'), '../test', 'lint', 'codegen']);
  for (const folder of ['.', 'test', 'tools/lint', 'tools/codegen'])
    symlinkSync(join(root, folder, 'node_modules'), join(clone, folder, 'node_modules'));
  // It is a link, which .gitignore does not mean.
  appendFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As on a machine of one's own: within a run of Jest, Jest behaves otherwise. */
async function environment() {
  const { PATH, HOME } = process.env;
  const name = { GIT_AUTHOR_NAME: 'A', GIT_COMMITTER_NAME: 'A' };
  const email = { GIT_AUTHOR_EMAIL: 'a@example.org', GIT_COMMITTER_EMAIL: 'a@example.org' };
  return { PATH, HOME, MONGOD_BINARY: await testMongod(), ...name, ...email };
}

test('the first change of CONTRIBUTING.md, pasted block by block: its test fails first, and then nothing does', async () => {
  const env = await environment();
  const blocks = readmeCommands(join(clone, 'CONTRIBUTING.md')).filter(
    ({ heading }) => heading === 'A first change',
  );
  const ends = blocks.map(({ text }) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', text], {
      cwd: clone,
      env,
      encoding: 'utf8',
    });
    return { text, status, printed: stdout + stderr };
  });
  const [, firstRun] = ends;
  expect(firstRun?.status).toBe(1);
  expect(firstRun?.printed).toMatch(/Cannot query field .+adoptable/);
  expect(ends.filter((end) => end.status !== 0 && end !== firstRun)).toEqual([]);
  expect(execFileSync('git', ['show', '--stat', '--format=%s'], { cwd: clone, encoding: 'utf8' })).toMatch(
    /^feat\(graphql\): whether a pet can be adopted\n\n schema\/schema\.graphql +\| .*\n src\/interfaces\/graphql\/schema\/pets\/pet-types\.ts +\| .*\n test\/interfaces\/graphql\/adoptable\.test\.ts +\| /,
  );
}, 600_000);
