/** What the store knows of a key after an early retry was added. */
export interface StrikeCount {
  /** Strikes within the policy's window; 0 after a ban began. */
  strikes: number;
  /** True for exactly one caller each time the strikes exceed the policy's number. That caller bans the key. */
  bans: boolean;
}

/** Collects the early retries from all processes, and decides which of them are strikes. */
export interface StrikesStore {
  /**
   * Adds a second (Unix time) in which the key retried too early. It counts once, even if several processes report it.
   * It is a strike if early retries filled at least LOOP_SHARE of the policy's `loopSeconds` that end with it.
   */
  add(keyId: string, second: number): Promise<StrikeCount>;
  /** The number of strikes of each of these keys within the policy's window that ends now; keys without any are missing. */
  count(keyIds: readonly string[], nowSecond: number): Promise<Map<string, number>>;
  /** Removes the records of deleted keys. */
  remove(keyIds: readonly string[]): Promise<void>;
}

/**
 * The share of seconds with an early retry that tells a loop from clients that back off: at the default of 24 seconds,
 * 22. A loop of one request a second can skip a second when its requests move past the boundary of a second.
 * Fifteen clients with exponential backoff and full jitter reach the share for a few seconds at most.
 */
export const LOOP_SHARE = 11 / 12;
