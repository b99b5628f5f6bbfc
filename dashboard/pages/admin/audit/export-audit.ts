import { csvLine } from '../../../../src/lib/csv.js';
import type { RunGraphql } from '../../../api/session-context.js';
import {
  AUDIT_LOG,
  type AuditLogResult,
  type AuditLogVariables,
  type AuditRecord,
} from './audit-documents.js';

export type ExportFormat = 'csv' | 'ndjson';

/** The file is built in the browser, so its size has a bound. The command line exports any number. */
export const MOST_EXPORTED = 10_000;
const PAGE = 100;
const KEPT_MS = 60_000;

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
] as const;

const FORMATS: Record<ExportFormat, { type: string; head: string; lineOf: (record: AuditRecord) => string }> =
  {
    csv: {
      type: 'text/csv',
      head: csvLine([...COLUMNS, 'changes']),
      lineOf: (record) => csvLine([...COLUMNS.map((column) => record[column]), changesOf(record)]),
    },
    ndjson: {
      type: 'application/x-ndjson',
      head: '',
      lineOf: ({ actorKey: _actor, apiKey: _target, ...record }) => `${JSON.stringify(record)}\n`,
    },
  };

/**
 * Reads the records that match, newest first, page by page, and saves them as a file. Returns how many, and whether
 * there are more than MOST_EXPORTED.
 * @throws ApiFailure
 */
export async function exportAudit(
  run: RunGraphql,
  variables: AuditLogVariables,
  format: ExportFormat,
): Promise<{ count: number; hasMore: boolean }> {
  const { type, head, lineOf } = FORMATS[format];
  const lines = [head];
  let after: string | null = null;
  let count = 0;
  do {
    const { auditLog }: AuditLogResult = await run(AUDIT_LOG, { ...variables, first: PAGE, after });
    lines.push(...auditLog.edges.map(({ node }) => lineOf(node)));
    count += auditLog.edges.length;
    after = auditLog.pageInfo.hasNextPage ? auditLog.pageInfo.endCursor : null;
  } while (after !== null && count < MOST_EXPORTED);
  save(new Blob(lines, { type }), `audit-log.${format}`);
  return { count, hasMore: after !== null };
}

/** `plan: free → pro; requestsPerDay: 50`. */
function changesOf({ changes }: AuditRecord): string {
  return changes
    .map(
      ({ property, before, after }) =>
        `${property}: ${before === null ? '' : `${before} → `}${after ?? 'none'}`,
    )
    .join('; ');
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Not at once: the browser may still read it.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
