import { EXPORT_FORMATS, type ExportFormat } from '../../../src/features/audit/audit-export.js';
import type { RunGraphql } from '../../api/session-context.js';
import { AUDIT_LOG, type AuditLogResult, type AuditLogVariables } from './audit-documents.js';

/** The file is built in the browser, so its size has a bound. The command line exports any number. */
export const MOST_EXPORTED = 10_000;
const PAGE = 100;
const KEPT_MS = 60_000;

/**
 * Reads the records that match, newest first, page by page, and saves them as a file. Returns how many, and whether
 * there are more than MOST_EXPORTED.
 * @throws ApiFailure; DOMException once the signal is aborted: no file is saved
 */
export async function exportAudit(
  run: RunGraphql,
  variables: AuditLogVariables,
  { format, signal }: { format: ExportFormat; signal: AbortSignal },
): Promise<{ count: number; hasMore: boolean }> {
  const { type, head, lineOf } = EXPORT_FORMATS[format];
  const lines = [head];
  let after: string | null = null;
  let count = 0;
  do {
    const { auditLog }: AuditLogResult = await run(AUDIT_LOG, { ...variables, first: PAGE, after }, signal);
    lines.push(...auditLog.edges.map(({ node }) => lineOf(node)));
    count += auditLog.edges.length;
    after = auditLog.pageInfo.hasNextPage ? auditLog.pageInfo.endCursor : null;
  } while (after !== null && count < MOST_EXPORTED);
  signal.throwIfAborted();
  save(new Blob(lines, { type }), `audit-log.${format}`);
  return { count, hasMore: after !== null };
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Not at once: the browser may still read it.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
