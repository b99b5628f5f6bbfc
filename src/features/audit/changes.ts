import type { AuditRecord } from './audit-record.js';

/** A property of the changed object, as text; null if it had, or has, no value. */
export interface Change {
  property: string;
  before: string | null;
  after: string | null;
}

/** The properties that differ. */
export function changesOf({ before = {}, after }: Pick<AuditRecord, 'before' | 'after'>): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((property) => ({ property, before: textOf(before[property]), after: textOf(after[property]) }))
    .filter((change) => change.before !== change.after);
}

function textOf(value: string | number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
