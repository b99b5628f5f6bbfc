const SECOND_MS = 1000;
const HOUR_MS = 60 * 60 * SECOND_MS;

/**
 * Until the next look at an order that the CA is working on: 1 s, doubling to 30 s, or what the CA asks for, up to an
 * hour.
 * @param looks how many there were
 */
export function waitForCaMs(looks: number, askedMs = 0): number {
  const ownMs = Math.min(SECOND_MS * 2 ** looks, 30 * SECOND_MS);
  return Math.max(ownMs, Math.min(askedMs, HOUR_MS));
}

/**
 * Until a request is tried again that failed for now: 10 s, doubling to 6 hours, or what the CA asks for, up to a day.
 * @param failures how many there were before this one
 */
export function waitAfterFailureMs(failures: number, askedMs = 0): number {
  const ownMs = Math.min(10 * SECOND_MS * 2 ** failures, 6 * HOUR_MS);
  return Math.max(ownMs, Math.min(askedMs, 24 * HOUR_MS));
}
