import type { Connection } from 'mongoose';
import { importPets } from '../features/pets/import/import-pets.js';
import type { ImportCounts } from '../features/pets/import/imports-store.js';
import { createMongoImportsStore } from '../features/pets/import/mongo-imports-store.js';
import { openRejectedLines, type RejectedLines } from '../features/pets/import/rejected-lines.js';
import { createMongoPetsStore } from '../features/pets/mongo-pets-store.js';
import { systemClock } from '../lib/clock.js';
import { fileSha256 } from '../lib/sha256.js';
import { progressBar } from './progress-bar.js';

export interface ImportFile {
  path: string;
  sizeBytes: number;
  /** Where to list the rejected lines. */
  rejected: string;
  /** Whether to import a file again that was imported before. */
  again: boolean;
}

/** Imports a file, or resumes its import. Shows the progress on a terminal. @throws like `importPets` */
export async function importFile(
  connection: Connection,
  { path, sizeBytes, rejected, again }: ImportFile,
): Promise<ImportCounts> {
  const pets = createMongoPetsStore(connection);
  const imports = createMongoImportsStore(connection, pets);
  if (again) await imports.forgetFinished(await fileSha256(path));
  const bar = progressBar('importing', sizeBytes);
  let report: RejectedLines | undefined;
  try {
    return await importPets(
      {
        path,
        onBegin(record) {
          report = openRejectedLines(rejected, record);
          bar.update(record.next.offset);
        },
        onRejected: (rejections) => report?.add(rejections),
        onEnd: () => report?.settle(),
        onProgress: (bytes) => bar.update(bytes),
      },
      { pets, imports, clock: systemClock },
    );
  } finally {
    bar.stop();
  }
}
