import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** Writes a file of the repository as `npm run format` would leave it. */
export async function writeFormatted(file: string, text: string): Promise<void> {
  await writeFile(file, text);
  execFileSync(process.execPath, [join(ROOT, 'scripts/tools.mjs'), 'lint']);
  execFileSync(join(ROOT, 'tools/lint/node_modules/.bin/prettier'), ['--write', file]);
}
