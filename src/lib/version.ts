import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of the gateway, from package.json. */
export const VERSION = versionOf(join(__dirname, '../../package.json'));

function versionOf(packageFile: string): string {
  return (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;
}
