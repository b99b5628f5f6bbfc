import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The environment of a process that tells in `file`, once it has ended, which modules it had loaded. */
export const listingModules = (file: string) => ({
  NODE_OPTIONS: `--require ${join(__dirname, 'list-modules.cjs')}`,
  LOADED_MODULES: file,
});

/** The packages of OpenTelemetry among them, but for its API: prom-client requires that, whatever is configured. */
export function loadedSdk(file: string): string[] {
  const modules = JSON.parse(readFileSync(file, 'utf8')) as string[];
  const packages = modules.flatMap((path) => /node_modules\/@opentelemetry\/([^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(packages)].filter((name) => name !== 'api').toSorted();
}
