import type { Actor, AuditAction, AuditRecord, AuditTarget } from './audit-record.js';

export interface AuditQuery {
  first: number;
  /** Only records older than the one with this id. */
  beforeId?: string;
  target: AuditTarget;
  /** Only actions of this key. */
  actorKeyId?: string | undefined;
  /** Only actions of this user at the command line. */
  actorSystemUser?: string | undefined;
  /** Only actions of actors with this role. */
  actorRole?: Actor['role'] | undefined;
  action?: AuditAction | undefined;
  /** Only actions from this time on. */
  from?: Date | undefined;
  /** Only actions before this time. */
  to?: Date | undefined;
}

/** Audit records are added and read, and expire after AUDIT_RETENTION_DAYS. Only `addOrCount` can alter a record. */
export interface AuditStore {
  add(record: Omit<AuditRecord, 'id'>): Promise<void>;
  /**
   * For actions that cost nothing to repeat, so that repetitions do not bury other records. Adds the first record of
   * this actor's key and action within the UTC hour. Each repetition adds 1 to that record's `after.repeats` and sets
   * its `after.lastAt`. Exact within a transaction.
   * @param times how many actions to record, at least 1
   */
  addOrCount(record: Omit<AuditRecord, 'id'>, times?: number): Promise<void>;
  /**
   * The last names that records give these keys and projects, by id: for those that no longer exist. An id without a
   * record is missing.
   */
  namesOf(ids: readonly string[]): Promise<Map<string, string>>;
  /** Newest first. Indexes serve the project, the key, the actor, the action and the times. */
  list(query: AuditQuery): Promise<{ records: AuditRecord[]; hasMore: boolean }>;
}
