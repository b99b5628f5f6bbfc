import type { KeyChange } from './key-documents.js';

export interface OldSecret {
  /** Its beginning, where the change tells it. */
  start: string | null;
  endsAt: string;
}

/** The one that the latest rotation replaced, while it still works. The API lists no secrets, its audit log tells of them. */
export function oldSecretOf(changes: readonly KeyChange[], nowMs: number): OldSecret | undefined {
  const rotation = changes.find(({ action }) => action === 'apiKey.rotate');
  const endsAt = rotation && after(rotation, 'oldSecretEndsAt');
  if (rotation === undefined || endsAt === undefined || Date.parse(endsAt) <= nowMs) return undefined;
  return { start: propertyOf(rotation, 'start')?.before ?? null, endsAt };
}

/** What a property became; undefined where the change is not about it. */
export function after(change: KeyChange, property: string): string | undefined {
  return propertyOf(change, property)?.after ?? undefined;
}

function propertyOf({ changes }: KeyChange, property: string) {
  return changes.find((one) => one.property === property);
}
