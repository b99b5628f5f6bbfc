import type { AuditAction, AuditState, AuditTarget } from '../audit/audit-record.js';
import type { KeyChange } from '../keys/api-keys-store.js';

interface Described {
  target: AuditTarget;
  after: AuditState;
  change: KeyChange;
}

export interface Change<T> {
  action: AuditAction;
  /** The state to compare with; a target that does not exist is for `run` to refuse, in its own words. */
  before?: () => Promise<AuditState>;
  run: () => Promise<T>;
  describe: (result: T) => Described | Promise<Described>;
}
