import { withTimeout } from '../../lib/with-timeout.js';

const PATIENCE_MS = 2000;

/** Resolves to undefined if a store does not answer within PATIENCE_MS: a missing gauge says more than a late one. */
export const inPatience = <T>(answer: Promise<T>): Promise<T | undefined> =>
  withTimeout(answer, PATIENCE_MS).catch(() => undefined);
