import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Returns the folder and the version of an installed package.
 * @param packageFile path of its package.json
 */
export function installedPackage(packageFile: string): { folder: string; version: string } {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
  return { folder: dirname(packageFile), version };
}
