import type { AuditAction, AuditState, AuditTarget } from '../audit/audit-record.js';
import type { RecordChange } from '../keys/record-change.js';

interface Described {
  target: AuditTarget;
  /** The state before the change, where only the change itself knows it. */
  before?: AuditState;
  after: AuditState;
  /** What caches have of it. Absent: nothing. */
  change?: RecordChange;
}

export interface AuditedChange<T> {
  action: AuditAction;
  /** Returns the state to compare with. If the target does not exist, `run` rejects it with its own error. */
  before?: () => Promise<AuditState>;
  /** The key that is changed. */
  keyId?: string;
  /**
   * Whether the change ends the key or its secrets. From its second start on it comes before the changes that the key makes,
   * and before others of the key: they cannot delay it.
   */
  endsKey?: 'secrets' | 'key';
  run: () => Promise<T>;
  /** @param before what `before` returned */
  describe: (result: T, before: AuditState | undefined) => Described | Promise<Described>;
}
