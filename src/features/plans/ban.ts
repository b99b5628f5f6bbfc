/** A temporary ban of a key (specification 8.4): a record of its own, so that no plan change or reset lifts it. */
export interface Ban {
  until: Date;
  /** Bans of this key on the UTC day of the last one; each doubles the next. */
  offences: number;
  /** That day, `2026-11-21`. */
  day: string;
}

/** All lengths in seconds. */
export interface BanPolicy {
  /** More strikes than this … */
  strikes: number;
  /** … within this time ban the key … */
  strikeWindowSeconds: number;
  /** … for this long, doubled with each ban of the day … */
  banSeconds: number;
  /** … up to this. */
  maxBanSeconds: number;
}
