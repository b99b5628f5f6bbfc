/**
 * `npm run lint:prose`: spelling, style and forbidden phrases in everything that people read. Prints
 * `file:line:column: finding` for each finding and exits with 1 if there is one.
 *
 *   node tools/prose/lint.mjs [file …]    default: every file of the repository
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureTools } from '../../scripts/tools.mjs';
import { proseOf } from './extract.mjs';
import { EXACT, FORBIDDEN, STYLE } from './words.mjs';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const READ =
  /\.(?:md|[cm]?[jt]s|tsx|graphql|ya?ml|sh|conf)$|(?:^|\/)(?:\.env\.example|Dockerfile)$|^deploy\/.*\.json$/;
/** Written by programs, or texts of others. */
const NOT_OURS = /(?:^|\/)node_modules\/|^bench\/results\/|^clients\/typescript\/src\/openapi\.ts$/;
/** Strings of tests, of benchmarks, of shell completion and of Lua scripts are data; titles of tests are read all the same. */
const STRINGS_ARE_DATA = /^(?:test|bench|tools)\/|^src\/cli\/completion\.ts$|\/redis-quota-store\.ts$/;

/** Where cspell splits a name: before a capital that begins a word. */
const CAPITAL = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

ensureTools('prose');
const { default: writeGood } = await import('write-good');
const { spellCheckDocument } = await import('cspell-lib');

const named = process.argv.slice(2);
const files = named.length > 0 ? named : tracked();
const findings = [];
/** Where each word stands, so that each is looked up once. */
const words = new Map();
for (const file of files) readProse(file);
await spell();

findings.sort((a, b) => a.file.localeCompare(b.file) || a.at - b.at);
for (const { file, at, finding } of findings) console.error(`${file}:${place(file, at)}: ${finding}`);
console.log(`${files.length} files read, ${findings.length} findings in prose`);
process.exitCode = findings.length === 0 && files.length > 0 ? 0 : 1;

function tracked() {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const all = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0');
  return all.filter((file) => READ.test(file) && !NOT_OURS.test(file));
}

function readProse(file) {
  const content = readFileSync(file, 'utf8');
  for (const { at, text } of proseOf(file, content, { strings: !STRINGS_ARE_DATA.test(file) })) {
    const add = (index, finding) => findings.push({ file, at: at + index, finding });
    for (const [pattern, instead] of FORBIDDEN)
      for (const { 0: found, index } of text.matchAll(pattern)) add(index, `"${found}": write ${instead}`);
    for (const { index, offset, reason } of writeGood(text, STYLE))
      if (!EXACT.has(text.slice(index, index + offset).toLowerCase())) add(index, reason);
    for (const { 0: word, index } of text.matchAll(/\p{L}[\p{L}'’]*/gu)) {
      const places = words.get(word) ?? [];
      words.set(word, [...places, { file, at: at + index }]);
    }
  }
}

/** Reports words that neither a dictionary of cspell nor dictionary.txt has, and entries of the latter that no text uses. */
async function spell() {
  const own = readFileSync(join(FOLDER, 'dictionary.txt'), 'utf8').split('\n').filter(Boolean);
  const settings = {
    language: 'en,en-GB',
    words: own,
    allowCompoundWords: false,
    minWordLength: 3,
    maxNumberOfProblems: 1e6,
    maxDuplicateProblems: 1e6,
  };
  const text = [...words.keys()].join('\n');
  const document = { uri: 'words.txt', text, languageId: 'plaintext', locale: 'en,en-GB' };
  const { issues } = await spellCheckDocument(
    document,
    { generateSuggestions: false, noConfigSearch: true },
    settings,
  );
  for (const { line, text: unknown } of issues) {
    const word = line.text.trim();
    for (const { file, at } of words.get(word) ?? [])
      findings.push({ file, at, finding: `"${unknown}" is in no dictionary` });
  }
  if (named.length > 0) return;
  const used = new Set(
    [...words.keys()]
      .flatMap((word) => [word, word.replace(/['’]s?$/, ''), ...word.split(CAPITAL)])
      .map((word) => word.toLowerCase()),
  );
  for (const word of own)
    if (!used.has(word.toLowerCase()))
      findings.push({ file: 'tools/prose/dictionary.txt', at: 0, finding: `no text uses "${word}"` });
}

function place(file, at) {
  const before = readFileSync(file, 'utf8').slice(0, at).split('\n');
  return `${before.length}:${before.at(-1).length + 1}`;
}
