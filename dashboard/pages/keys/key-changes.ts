import type { KeyChange } from './key-documents.js';

export interface OldSecret {
  /** The first characters of the secret, if the change contains them. */
  start: string | null;
  endsAt: string;
}

/**
 * Returns the secret that the latest rotation replaced, while it still works. The API lists no secrets, but its audit
 * log contains rotations.
 */
export function oldSecretOf(changes: readonly KeyChange[], nowMs: number): OldSecret | undefined {
  const rotation = changes.find(({ action }) => action === 'apiKey.rotate');
  const endsAt = rotation && after(rotation, 'oldSecretEndsAt');
  if (rotation === undefined || endsAt === undefined || Date.parse(endsAt) <= nowMs) return undefined;
  return { start: propertyOf(rotation, 'start')?.before ?? null, endsAt };
}

/** Returns the new value of a property, or undefined if the change does not include it. */
export function after(change: KeyChange, property: string): string | undefined {
  return propertyOf(change, property)?.after ?? undefined;
}

function propertyOf({ changes }: KeyChange, property: string) {
  return changes.find((one) => one.property === property);
}
