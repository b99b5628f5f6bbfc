import type { Connection } from 'mongoose';
import { CHANGES_COLLECTION } from '../../../src/features/system/mongo-change-notices.js';

/**
 * The collections of which some document mentions one of these words anywhere, in alphabetical order. Without the notices
 * of changes, which have ids only, come late, and stay until newer ones replace them.
 */
export async function collectionsWith(raw: Connection, words: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (const { name } of await raw.listCollections()) {
    if (name.startsWith('system.') || name === CHANGES_COLLECTION) continue;
    for await (const document of raw.collection(name).find())
      if (words.some((word) => textOf(document).includes(word))) {
        names.push(name);
        break;
      }
  }
  return names.sort();
}

function textOf(document: unknown): string {
  return JSON.stringify(document, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
