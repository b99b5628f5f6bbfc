import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  FileFormat,
  PetsImport,
  PetsImportOptions,
} from '../../features/synchronization/pets-import.js';
import type { PetsImports } from '../../features/synchronization/pets-imports.js';
import type { Rejection } from '../../features/pets/import/insert-lines.js';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import { printRow, type Output } from '../output.js';
import { progressBar } from '../progress-bar.js';
import { systemUser } from '../system-user.js';
import type { Gateway } from './gateway.js';

export type SyncOptions = Omit<PetsImportOptions, 'projectId'>;

export interface SyncedFile {
  /** `-`: standard input. */
  path: string;
  format: FileFormat;
  sizeBytes: number | undefined;
}

/** An import as the API shows it. */
interface ShownImport {
  id: string;
  state: string;
  lines: number;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  rejected: number;
  rejectedLines: readonly Rejection[];
  notRemovedReason: string | null;
  problem: string | null;
}

/** Sends a file, and resolves when it is checked or imported. */
export type SendFile = (
  options: SyncOptions,
  format: FileFormat,
  chunks: AsyncIterable<Uint8Array>,
) => Promise<ShownImport>;

const MEDIA_TYPES: Record<FileFormat, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
const POLL_MS = 1000;
const FIELDS =
  'id state lines added changed unchanged removed rejected rejectedLines { line reason } notRemovedReason problem';

/** Over the API. Without a project, the key's own. */
export function sendTo(gateway: Gateway, projectId: string | undefined): SendFile {
  return async (options, format, chunks) => {
    const { createPetsImport } = await gateway.ask<{
      createPetsImport: { petsImport: { id: string }; uploadUrl: string };
    }>(
      'mutation ($input: CreatePetsImportInput!) { createPetsImport(input: $input) { petsImport { id } uploadUrl } }',
      { input: { projectId, ...options } },
    );
    const { petsImport, uploadUrl } = createPetsImport;
    let shown = await gateway.put<ShownImport>(uploadUrl, MEDIA_TYPES[format], chunks);
    while (shown.state === 'applying') {
      await sleep(POLL_MS);
      const answer = await gateway.ask<{ petsImport: ShownImport | null }>(
        `query ($id: ID!) { petsImport(id: $id) { ${FIELDS} } }`,
        { id: petsImport.id },
      );
      shown = answer.petsImport ?? gone(petsImport.id);
    }
    return shown;
  };
}

/** In the database of the settings. */
export function sendToDatabase(imports: PetsImports, projectId: string): SendFile {
  const by = { role: 'command line', systemUser: systemUser() } as const;
  return async (options, format, chunks) => {
    const created = await imports.create({ ...options, projectId }, by);
    return shownAs(await imports.receive(created, { format, chunks }, by, Infinity));
  };
}

/**
 * Synchronizes a project with a file and prints the counts.
 * @throws ApiError; Error if the import was not carried out, lines were rejected, or missing animals were not removed
 */
export async function syncFile(
  send: SendFile,
  { path, format, sizeBytes }: SyncedFile,
  options: SyncOptions,
  output: Output,
): Promise<void> {
  const bar = progressBar(options.dryRun ? 'Checking' : 'Importing', sizeBytes ?? 0);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    const source = path === '-' ? process.stdin : createReadStream(path);
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      yield chunk;
      bytes += chunk.length;
      if (sizeBytes !== undefined) bar.update(bytes);
    }
  }
  const beganMs = Date.now();
  let shown: ShownImport;
  try {
    shown = await send(options, format, chunks());
  } finally {
    bar.stop();
  }
  const { id, state, lines, added, changed, unchanged, removed, rejected, rejectedLines } = shown;
  const { notRemovedReason, problem } = shown;
  const counts = { id, state, lines, added, changed, unchanged, removed, rejected };
  if (output.json)
    output.write(`${JSON.stringify({ ...counts, rejectedLines, notRemovedReason, problem }, null, 2)}\n`);
  else {
    printRow(output, { ...counts, seconds: (Date.now() - beganMs) / 1000 });
    if (options.dryRun)
      output.write('Nothing was changed. To import the file, run the command without --dry-run.\n');
    for (const { line, reason } of rejectedLines) process.stderr.write(`line ${line}: ${reason}\n`);
  }
  const expected = options.dryRun ? 'checked' : 'done';
  const problems = [
    ...(state === expected ? [] : [`The import ${id} is ${state}. ${problem ?? ''}`.trim()]),
    ...(rejected > 0 ? [`${rejected} ${rejected === 1 ? 'line was' : 'lines were'} rejected.`] : []),
    ...(notRemovedReason === null
      ? []
      : [`${removed === 0 ? 'No' : 'Not all'} animals were removed. ${notRemovedReason}`]),
  ];
  // Makes the command fail, so that the nightly job notices.
  if (problems.length > 0) throw new Error(problems.join(' '));
}

/** The format that is given, or that the name of the file says. @throws ApiError invalid_request */
export function formatOf(path: string, format: FileFormat | undefined): FileFormat {
  if (format !== undefined) return format;
  if (/\.csv$/i.test(path)) return 'csv';
  if (/\.(?:ndjson|jsonl)$/i.test(path)) return 'ndjson';
  throw invalidRequest({
    field: 'format',
    message: `is required: the name ${path} does not end in .csv or .ndjson`,
  });
}

function shownAs(petsImport: PetsImport): ShownImport {
  const { counts, rejections, notRemovedReason = null, problem = null, ...rest } = petsImport;
  return { ...rest, ...counts, rejectedLines: rejections, notRemovedReason, problem };
}

function gone(id: string): never {
  throw new ApiError('not_found', `There is no import with the id ${id}.`);
}
