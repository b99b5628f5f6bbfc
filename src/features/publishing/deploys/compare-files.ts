import type { SiteFile } from './deploy.js';

/** What a comparison of two sites needs of a file. */
export type ComparedFile = Pick<SiteFile, 'path' | 'sha256'>;

/** The paths that differ between two deploys, each list in the order of its paths. */
export interface FileChanges {
  added: string[];
  /** Files with the same path and other bytes. */
  changed: string[];
  removed: string[];
}

export type FileChange = keyof FileChanges;

export function compareFiles(before: readonly ComparedFile[], after: readonly ComparedFile[]): FileChanges {
  const hashes = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const left = new Set(hashes.keys());
  const changes: FileChanges = { added: [], changed: [], removed: [] };
  for (const { path, sha256 } of after) {
    left.delete(path);
    const earlier = hashes.get(path);
    if (earlier === undefined) changes.added.push(path);
    else if (earlier !== sha256) changes.changed.push(path);
  }
  changes.removed.push(...left);
  for (const paths of Object.values<string[]>({ ...changes })) paths.sort();
  return changes;
}
