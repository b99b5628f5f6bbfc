/**
 * Makes a release: `npm run release -- 1.1.0 [--dry-run]`.
 *
 * Writes the version wherever it stands, dates the changelog, keeps this version's interface in schema/released/ for
 * `npm run schema:breaking`, packs the TypeScript client into dist/release/, builds the image if Docker answers,
 * commits and tags. Pushes nothing. A failure leaves the repository as it was. With --dry-run, it only checks and
 * reports.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const released = 'schema/released';
const interfaces = ['openapi.yaml', 'schema.graphql'];
const semver = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
/** Where the version stands: the file, and the text in front of each place of it. */
const places = [
  ['package.json', /(^ {2}"version": ")[^"]+/m],
  ['package-lock.json', /(^ +"name": "pets-gateway",\n +"version": ")[^"]+/gm],
  ['clients/typescript/package.json', /(^ {2}"version": ")[^"]+/m],
  ['clients/typescript/README.md', /(pets-gateway-client-)\d+\.\d+\.\d+(?=\.tgz)/g],
  ['deploy/kubernetes/base/kustomization.yaml', /(^ +newTag: ).+/m],
  ['deploy/kubernetes/example/kustomization.yaml', /(^ +newTag: ).+/m],
  ['Dockerfile', /(^ARG VERSION=).+/m],
  ['docs/kubernetes.md', /(\/pets-gateway:)\d+\.\d+\.\d+/g],
];

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false } },
  });
  const [version = '', ...others] = positionals;
  if (!semver.test(version) || others.length > 0)
    throw new Error('Name the version: npm run release -- 1.1.0 [--dry-run]');
  const today = new Date().toISOString().slice(0, 10);
  check(version);
  const edits = [...versionEdits(version), ['CHANGELOG.md', changelogOf(version, today)]];
  run('npm', ['run', '--silent', 'schema:breaking']);
  if (values['dry-run']) {
    for (const [file] of edits) console.log(`would change ${file}`);
    console.log(`would keep the interface in ${released}/${version}, pack the client and tag v${version}`);
    return;
  }
  const head = run('git', ['rev-parse', 'HEAD']).trim();
  try {
    for (const [file, text] of edits) writeFileSync(join(root, file), text);
    keepInterface(version);
    const archive = packClient();
    const image = buildImage(version);
    run('git', ['add', '--', ...edits.map(([file]) => file), released]);
    run('git', ['commit', '--quiet', '--message', `chore(release): ${version}`]);
    run('git', ['tag', '--annotate', `v${version}`, '--message', `Version ${version}`]);
    console.log(`Tagged v${version}.\nClient: ${archive}\nImage: ${image}`);
    console.log(`Publish it with: git push origin HEAD v${version}`);
  } catch (error) {
    // The tree was clean when this began, and the commit may have been made.
    run('git', ['reset', '--quiet', '--hard', head]);
    run('git', ['clean', '--quiet', '--force', '-d', '--', released]);
    throw error;
  }
}

function check(version) {
  if (run('git', ['status', '--porcelain']) !== '') throw new Error('There are changes. Commit them first.');
  if (run('git', ['tag', '--list', `v${version}`]) !== '') throw new Error(`v${version} is tagged already.`);
  const { version: present } = JSON.parse(read('package.json'));
  if (isBefore(version, present))
    throw new Error(`${version} is before ${present}, which package.json names.`);
}

function isBefore(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const at = left.findIndex((number, i) => number !== right[i]);
  return at !== -1 && left[at] < right[at];
}

function versionEdits(version) {
  return places.map(([file, place]) => {
    const text = read(file);
    if (text.search(place) === -1) throw new Error(`${file} does not name the version where it did.`);
    return [file, text.replace(place, `$1${version}`)];
  });
}

function changelogOf(version, today) {
  const text = read('CHANGELOG.md');
  const heading = '## [Unreleased]\n';
  if (text.includes(`\n## [${version}]`)) throw new Error(`CHANGELOG.md has a section ${version} already.`);
  const [, after] = text.split(heading);
  const section = after?.split('\n## [')[0] ?? '';
  if (!/^- /m.test(section)) throw new Error('CHANGELOG.md has no change under [Unreleased].');
  return text.replace(heading, `${heading}\n## [${version}] - ${today}\n`);
}

function keepInterface(version) {
  rmSync(join(root, released), { recursive: true });
  mkdirSync(join(root, released, version), { recursive: true });
  for (const file of interfaces) writeFileSync(join(root, released, version, file), read(`schema/${file}`));
}

function packClient() {
  const folder = join(root, 'dist/release');
  mkdirSync(folder, { recursive: true });
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--pack-destination', folder], join(root, 'clients/typescript')).replace(
      /^[^[]*/,
      '',
    ),
  );
  return join('dist/release', packed.filename);
}

function buildImage(version) {
  const tag = `pets-gateway:${version}`;
  const args = ['build', '--tag', tag, '.'];
  if (spawnSync('docker', ['version'], { stdio: 'ignore' }).status !== 0)
    return `not built, because Docker does not answer. To build it: docker ${args.join(' ')}`;
  run('docker', args);
  return tag;
}

const read = (file) => readFileSync(join(root, file), 'utf8');

/** Runs a program and returns what it printed. @throws Error with its messages if it fails */
function run(program, args, cwd = root) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}

try {
  main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
