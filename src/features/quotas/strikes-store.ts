/** Where the strikes of all processes come together. */
export interface StrikesStore {
  /**
   * Adds a strike in this second (Unix time); one second counts once, whichever processes saw it.
   * True for exactly one caller each time a key passes the policy's number of strikes within its window;
   * that caller bans the key, and counting begins anew.
   */
  add(keyId: string, second: number): Promise<boolean>;
  /** Of keys that are removed. */
  remove(keyIds: readonly string[]): Promise<void>;
}
