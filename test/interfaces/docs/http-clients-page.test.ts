import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HTTP_CLIENTS } from '../../support/http-clients.js';
import { documentedLines, withoutIndentation } from '../../support/http-clients-page.js';

/** The programs are run by test/examples and test/http-clients. */
const PROGRAM = /^(?!.*node_modules|.*\.venv|.*target\/).*\.(?:mjs|py|go|java|rs|sh)$/;

test('every line of code of docs/http-clients.md is in a program of examples/http-clients', async () => {
  const names = (await readdir(HTTP_CLIENTS, { recursive: true })).filter((name) => PROGRAM.test(name));
  const programs = await Promise.all(names.map((name) => readFile(join(HTTP_CLIENTS, name), 'utf8')));
  const codes = programs.map(withoutIndentation);
  const blocks = await documentedLines();
  expect(blocks.length).toBeGreaterThan(15);
  expect(blocks.filter((block) => !codes.some((code) => code.includes(block)))).toEqual([]);
});
