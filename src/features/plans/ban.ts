/** A temporary ban of a key. Stored separately, so that no plan change or reset lifts it. */
export interface Ban {
  until: Date;
  /** Number of bans of this key on the UTC day of the last ban. Each ban doubles the length of the next. */
  offences: number;
  /** That day, as `2026-11-21`. */
  day: string;
}

/** The ban, if it is in force. */
export function currentBan(ban: Ban | undefined, nowMs: number): Ban | undefined {
  return ban !== undefined && ban.until.getTime() > nowMs ? ban : undefined;
}

/**
 * All lengths are in seconds. A second is a strike if the key retried too early without a pause for `loopSeconds`. More
 * than `strikes` strikes within `strikeWindowSeconds` ban the key for `banSeconds`, doubled with each further ban of the
 * day, up to `maxBanSeconds`.
 */
export interface BanPolicy {
  loopSeconds: number;
  strikes: number;
  strikeWindowSeconds: number;
  banSeconds: number;
  maxBanSeconds: number;
}
