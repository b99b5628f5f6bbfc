import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/clock.js';

interface BackOff {
  firstMs: number;
  /** Each further failure multiplies the wait by this. */
  factor: number;
  longestMs: number;
  /** The certificate authority can ask for a longer wait, up to this. */
  longestAskedMs: number;
}

function doubling(firstMs: number, longestMs: number, longestAskedMs = 0): BackOff {
  return { firstMs, factor: 2, longestMs, longestAskedMs };
}

const BACK_OFFS = {
  /** The next DNS check of a name that the project does not hold yet. */
  dnsCheck: doubling(MINUTE_MS, HOUR_MS),
  /** The next DNS check of a name that the project holds. */
  dnsWatch: doubling(MINUTE_MS, 6 * HOUR_MS),
  /** The next attempt to get a certificate. */
  attempt: doubling(5 * MINUTE_MS, 6 * HOUR_MS),
  /** The next request to the authority, after one that can succeed later. */
  request: doubling(10 * SECOND_MS, 6 * HOUR_MS, DAY_MS),
  /** The next validation of the same order. */
  validation: { firstMs: MINUTE_MS, factor: 5, longestMs: HOUR_MS, longestAskedMs: 0 },
  /** The next poll of an order that the authority works on. A poll counts as a failure here. */
  poll: doubling(SECOND_MS, 30 * SECOND_MS, HOUR_MS),
} as const satisfies Record<string, BackOff>;

/**
 * Returns how long to wait, in milliseconds.
 *
 * @param earlier consecutive failures before this one
 * @param askedMs the wait that the authority asks for
 */
export function waitMs(before: keyof typeof BACK_OFFS, earlier: number, askedMs = 0): number {
  const { firstMs, factor, longestMs, longestAskedMs } = BACK_OFFS[before];
  const ownMs = Math.min(firstMs * factor ** earlier, longestMs);
  return Math.max(ownMs, Math.min(askedMs, longestAskedMs));
}
