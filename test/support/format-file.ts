import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';

/** Writes a file of the repository as `npm run format` would leave it. */
export async function writeFormatted(file: string, text: string): Promise<void> {
  await writeFile(file, text);
  execFileSync(process.execPath, [require.resolve('prettier/bin/prettier.cjs'), '--write', file]);
}
