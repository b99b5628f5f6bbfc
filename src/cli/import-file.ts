import type { Connection } from 'mongoose';
import { importPets, ImportStopped } from '../features/pets/import/import-pets.js';
import type { ImportCounts } from '../features/pets/import/imports-store.js';
import { createMongoImportsStore } from '../features/pets/import/mongo-imports-store.js';
import {
  checkRejectedLines,
  openRejectedLines,
  type RejectedLines,
} from '../features/pets/import/rejected-lines.js';
import { createMongoPetsStore } from '../features/pets/mongo-pets-store.js';
import { systemClock } from '../lib/clock.js';
import { fileSha256 } from '../lib/sha256.js';
import { withNoun } from '../lib/with-noun.js';
import { Interrupted } from './interrupted.js';
import { progressBar } from './progress-bar.js';

export interface ImportFile {
  path: string;
  sizeBytes: number;
  /** Where to list the rejected lines. */
  rejected: string;
  /** Whether to import a file again that was imported before. */
  again: boolean;
  /** Whether the list of rejected lines replaces another file. */
  overwrite: boolean;
}

/**
 * Imports a file, or resumes its import. Shows the progress on a terminal. Ctrl-C stops the import at a recorded place; a
 * second Ctrl-C ends the process at once, which loses nothing either.
 * @throws Interrupted; otherwise like `checkRejectedLines`, before anything changes, and `importPets`
 */
export async function importFile(
  connection: Connection,
  { path, sizeBytes, rejected, again, overwrite }: ImportFile,
): Promise<ImportCounts> {
  const pets = createMongoPetsStore(connection);
  const imports = createMongoImportsStore(connection, pets);
  const id = await fileSha256(path);
  checkRejectedLines({ path: rejected, source: path, id, overwrite });
  if (again) await imports.forgetFinished(id);
  const bar = progressBar('Importing', sizeBytes);
  const interruption = new AbortController();
  const stop = () => interruption.abort();
  process.once('SIGINT', stop);
  let report: RejectedLines | undefined;
  try {
    return await importPets(
      {
        path,
        id,
        signal: interruption.signal,
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
  } catch (error) {
    if (!(error instanceof ImportStopped)) throw error;
    const { lines, counts } = error;
    throw new Interrupted(
      `You stopped the import after line ${lines}: ${withNoun(counts.imported, 'pet')} imported, ${withNoun(counts.rejected, 'line')} rejected. ` +
        'To continue, run the same command again.',
    );
  } finally {
    process.removeListener('SIGINT', stop);
    bar.stop();
  }
}
