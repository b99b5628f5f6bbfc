import { csvLine } from '../../lib/csv.js';
import type { Change } from './changes.js';

/** The columns of an export, in this order: fields of AuditRecord in GraphQL. `changes` follows them. */
const COLUMNS = [
  'id',
  'at',
  'action',
  'actorRole',
  'actorName',
  'actorKeyId',
  'actorSystemUser',
  'projectName',
  'projectId',
  'apiKeyName',
  'apiKeyId',
  'petId',
] as const;

/** A record of the audit log, as exports contain it. `at` is in ISO 8601. */
export type ExportedRecord = Readonly<Record<(typeof COLUMNS)[number], string | null>> & {
  changes: readonly Change[];
};

export type ExportFormat = 'csv' | 'ndjson';

/** What the command line and the dashboard write: the head of the file, and a line for each record. */
export const EXPORT_FORMATS: Readonly<
  Record<ExportFormat, { type: string; head: string; lineOf: (record: ExportedRecord) => string }>
> = {
  csv: {
    type: 'text/csv',
    head: csvLine([...COLUMNS, 'changes']),
    lineOf: (record) => csvLine([...COLUMNS.map((column) => record[column]), wordsOf(record.changes)]),
  },
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    lineOf: ({ changes, ...record }) =>
      `${JSON.stringify({ ...Object.fromEntries(COLUMNS.map((column) => [column, record[column]])), changes })}\n`,
  },
};

/** `plan: free → pro; requestsPerDay: 50`. */
function wordsOf(changes: readonly Change[]): string {
  return changes
    .map(
      ({ property, before, after }) =>
        `${property}: ${before === null ? '' : `${before} → `}${after ?? 'none'}`,
    )
    .join('; ');
}
