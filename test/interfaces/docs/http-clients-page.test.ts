import { readFile } from 'node:fs/promises';
import { HTTP_CLIENTS } from '../../support/http-clients.js';
import { documentedLines, withoutIndentation } from '../../support/http-clients-page.js';

/** The programs are run by test/examples and test/http-clients. They have the imports that the page leaves out. */
test('every line of code of docs/http-clients.md is in a program of examples/http-clients that its section links to', async () => {
  const sections = await documentedLines();
  expect(sections.flatMap(({ blocks }) => blocks).length).toBeGreaterThan(15);
  const missing = await Promise.all(
    sections.map(async ({ heading, blocks, links }) => {
      const programs = links.filter((path) => path.startsWith(HTTP_CLIENTS));
      const codes = await Promise.all(
        programs.map(async (path) => withoutIndentation(await readFile(path, 'utf8'))),
      );
      return { heading, blocks: blocks.filter((block) => !codes.some((code) => code.includes(block))) };
    }),
  );
  expect(missing.filter(({ blocks }) => blocks.length > 0)).toEqual([]);
});
