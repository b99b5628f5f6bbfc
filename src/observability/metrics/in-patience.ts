import { withTimeout } from '../../lib/with-timeout.js';

const PATIENCE_MS = 2000;

/** Undefined for what a store does not tell in time: a gauge that is left out says more than one that is late. */
export const inPatience = <T>(answer: Promise<T>): Promise<T | undefined> =>
  withTimeout(answer, PATIENCE_MS).catch(() => undefined);
