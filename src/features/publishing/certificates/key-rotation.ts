/**
 * How the keys of one gateway compare with the keys that stored secrets are sealed with. A rotation has two steps, and
 * every gateway finishes the first before one begins the second: a new key goes to the end of the list, so that all
 * gateways can open what it seals; then it goes to the front, so that it seals.
 */
export interface KeyComparison {
  /** Ids of keys that stored secrets need and this gateway lacks. */
  missing: string[];
  /** Ids of keys behind the first that no stored secret needs: new before the second step, old after it. */
  unused: string[];
  /** The second step begins: the first key has not sealed anything, and these keys have. Otherwise empty. */
  replaced: string[];
}

/** @param keyIds the configured keys, the sealing key first */
export function compareKeys(keyIds: readonly string[], usedKeyIds: readonly string[]): KeyComparison {
  const [first, ...others] = keyIds;
  return {
    missing: usedKeyIds.filter((id) => !keyIds.includes(id)),
    unused: others.filter((id) => !usedKeyIds.includes(id)),
    replaced:
      first === undefined || usedKeyIds.includes(first) ? [] : usedKeyIds.filter((id) => keyIds.includes(id)),
  };
}

/** Formats key ids for messages. */
export function quotedIds(ids: readonly string[]): string {
  return ids.map((id) => `"${id}"`).join(', ');
}

export function addMissing(missing: readonly string[]): string {
  return `Add ${quotedIds(missing)} at the end of KEY_ENCRYPTION_KEYS on this gateway and restart it. Put a new key first only after every gateway lists it.`;
}

export function everyGatewayLists(first: string): string {
  return `Every other gateway must already list ${quotedIds([first])}. If one does not, move ${quotedIds([first])} to the end until it does.`;
}
