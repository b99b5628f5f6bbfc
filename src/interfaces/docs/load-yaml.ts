import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

const load = createRequire(__filename);

/** Loads the library at its first use: only the OpenAPI document needs it. */
export function loadYaml(): typeof Yaml {
  return load('yaml') as typeof Yaml;
}
