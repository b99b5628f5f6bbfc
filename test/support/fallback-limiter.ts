import { systemClock } from '../../src/lib/clock.js';
import {
  createFallbackLimiter,
  type FallbackLimiter,
  type FallbackSettings,
  type StoreLimiter,
} from './store-limiter.js';

/** One process alone with a store that always answers probes; it waits long for the store, and soon asks it again. */
export function fallbackOver(
  primary: StoreLimiter,
  settings: Partial<FallbackSettings> = {},
): FallbackLimiter {
  return createFallbackLimiter(primary, {
    ...{ shares: 1, callTimeoutMs: 10_000, retryMs: 5, holdMs: 1, clock: systemClock },
    probe: () => Promise.resolve(),
    onOutage: () => undefined,
    onRecovery: () => undefined,
    ...settings,
  });
}
