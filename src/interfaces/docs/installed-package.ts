import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Where the package.json at this path is installed, and its version. */
export function installedPackage(packageFile: string): { folder: string; version: string } {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
  return { folder: dirname(packageFile), version };
}
