import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The settings that can come from a file, as Docker and Kubernetes mount secrets: `<name>_FILE` is its path. */
const SECRETS = ['MONGODB_URI', 'REDIS_URL', 'ADMIN_API_KEY', 'KEY_ENCRYPTION_KEYS'] as const;

const path = z.string().optional();

export const secretFileSettings = {
  MONGODB_URI_FILE: path,
  REDIS_URL_FILE: path,
  ADMIN_API_KEY_FILE: path,
  KEY_ENCRYPTION_KEYS_FILE: path,
} satisfies Record<`${(typeof SECRETS)[number]}_FILE`, typeof path>;

type Settings = Readonly<Record<string, string | undefined>>;

/**
 * Adds the values of the secrets that are in files, without the white space around them.
 * @param given without empty values
 * @returns also the faults, one message each: a setting that is given twice, a file that cannot be read, an empty file
 */
export function withSecretsFromFiles(given: Settings): { settings: Settings; faults: string[] } {
  const settings: Record<string, string | undefined> = { ...given };
  const faults: string[] = [];
  for (const name of SECRETS) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    const value = read(file);
    if (given[name] !== undefined) faults.push(`${name} and ${name}_FILE are both set: remove one of them`);
    else if (value === undefined) faults.push(`${name}_FILE names a file that the gateway cannot read`);
    else if (value === '') faults.push(`${name}_FILE names an empty file`);
    else settings[name] = value;
  }
  return { settings, faults };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
