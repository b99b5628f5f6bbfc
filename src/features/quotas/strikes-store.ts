/** Collects the strikes from all processes. */
export interface StrikesStore {
  /**
   * Adds a strike in this second (Unix time). Each second counts once, even if several processes report it. Returns
   * true to exactly one caller each time a key exceeds the policy's number of strikes within its window. That caller
   * bans the key, and the count resets.
   */
  add(keyId: string, second: number): Promise<boolean>;
  /** Removes the strikes of deleted keys. */
  remove(keyIds: readonly string[]): Promise<void>;
}
