import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { VERSION } from '../../../src/lib/version.js';

export const ROOT = resolve(__dirname, '../../..');
const COPIED = ['bin', 'src', 'dashboard', 'schema', 'dist', 'package.json', 'tsconfig.json'];

export interface OtherVersion {
  version: string;
  root: string;
  /** The ids of its own steps. */
  expandId: number;
  contractId: number;
  remove: () => void;
}

/**
 * The version after this one, made of the working tree as it is: it has an index more, a field of pets that this
 * version does not know, a step that gives it to what is stored, and one that takes away what only this version needs.
 */
export function buildNextVersion(): OtherVersion {
  const root = mkdtempSync(join(tmpdir(), 'pets-gateway-next-'));
  for (const name of COPIED)
    if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(root, name), { recursive: true });
  rmSync(join(root, 'dist/.building'), { force: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));

  const [major = '', minor = ''] = VERSION.split('.');
  const version = `${major}.${Number(minor) + 1}.0`;
  replaceIn(root, 'package.json', /"version": "[^"]+"/, `"version": "${version}"`);
  replaceIn(
    root,
    'src/features/pets/mongo-pets-store.ts',
    /^export const petsCollection = /m,
    'petSchema.index({ shelter: 1, _id: 1 });\n$&',
  );
  replaceIn(
    root,
    'src/features/pets/mongo-pet-document.ts',
    /search,\n {2}\} satisfies Whole<Omit<PetDocument, 'changedIn'>>;/,
    "search,\n    shelter: 'of the next version',\n  } as PetDocument;",
  );
  const before =
    /\[([^\]]*)\];/.exec(readFileSync(join(root, 'src/app/migrations/steps.ts'), 'utf8'))?.[1] ?? '';
  const expandId = before.split(',').filter((name) => name.trim() !== '').length + 1;
  renameSync(join(root, 'src/app/migrations/steps.ts'), join(root, 'src/app/migrations/steps-before.ts'));
  writeFileSync(join(root, 'src/app/migrations/steps.ts'), stepsOf(expandId, version));
  build(root);
  return {
    version,
    root,
    expandId,
    contractId: expandId + 1,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** With HELD_STEP set the step stops amid its work, for a test to kill it there. */
function stepsOf(expandId: number, version: string): string {
  return `
import type { MigrationStep } from '../../platform/mongo/migration-step.js';
import { MIGRATION_STEPS as BEFORE } from './steps-before.js';

const EVERYTHING = ['pets', 'projects', 'apiKeys', 'sessions', 'domains', 'idempotencyKeys', 'audit', 'usage', 'deploys'];

const giveShelters: MigrationStep = {
  id: ${expandId},
  name: 'everything has a shelter',
  kind: 'expand',
  async run(connection, signal) {
    for (const name of EVERYTHING) {
      const collection = connection.collection(name);
      for (;;) {
        signal.throwIfAborted();
        const batch = await collection.find({ shelter: { $exists: false } }).project({ _id: 1 }).limit(500).toArray();
        if (batch.length === 0) break;
        await collection.updateMany(
          { _id: { $in: batch.map(({ _id }) => _id) } },
          { $set: { shelter: 'of the next version' } },
        );
        if (process.env['HELD_STEP'] !== undefined)
          await new Promise(() => setInterval(() => undefined, 1000));
      }
    }
  },
};

const dropOldIndex: MigrationStep = {
  id: ${expandId + 1},
  name: 'the index of old is gone',
  kind: 'contract',
  worksFrom: '${version}',
  run: async (connection) => {
    await connection.collection('pets').updateMany({}, { $unset: { old: 1 } });
  },
};

export const MIGRATION_STEPS: readonly MigrationStep[] = [...BEFORE, giveShelters, dropOldIndex];
`;
}

/** @throws Error when it is not there */
function replaceIn(root: string, file: string, pattern: RegExp, replacement: string): void {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  if (!pattern.test(text))
    throw new Error(`${file} has no ${String(pattern)} any more: update ${__filename}`);
  writeFileSync(path, text.replace(pattern, replacement));
}

function build(root: string): void {
  const options = { cwd: root, encoding: 'utf8' } as const;
  const { stderr } = spawnSync(process.execPath, [join(root, 'bin/build-if-stale.cjs')], options);
  if (!existsSync(join(root, 'dist/.built'))) throw new Error(`the next version does not build:\n${stderr}`);
}
