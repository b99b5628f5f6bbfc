import type { AuditRecord, AuditTarget } from './audit-record.js';

export interface AuditQuery {
  first: number;
  /** Only records older than the one with this id. */
  beforeId?: string;
  target: AuditTarget;
  /** Only what was done with this key. */
  actorKeyId?: string | undefined;
}

/** Records are added and read, and end after AUDIT_RETENTION_DAYS; there is no way to alter one but `addOrCount`. */
export interface AuditStore {
  add(record: Omit<AuditRecord, 'id'>): Promise<void>;
  /**
   * For actions that cost nothing to repeat, so that they cannot bury the rest: adds the first record of this actor's key
   * and action within the UTC hour. Each further one adds 1 to `after.repeats` of that record, and sets `after.lastAt`.
   * Exact within a transaction.
   */
  addOrCount(record: Omit<AuditRecord, 'id'>): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<{ records: AuditRecord[]; hasMore: boolean }>;
}
