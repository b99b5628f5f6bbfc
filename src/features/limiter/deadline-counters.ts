import { TimeoutError, withTimeout } from '../../lib/with-timeout.js';
import type { Counters } from './counters.js';
import { QuotaStoreError } from './limiter.js';

/**
 * Bounds every call of a store, so that one lost answer holds up nobody for longer.
 *
 * What was given up may be done all the same, even much later: a store that was paused works off what lies in its
 * sockets. So when the answer to an `add` comes late, it is given back; whoever it was for was answered otherwise. When
 * no answer comes at all, because the connection broke, the units lapse with their counter: it stands too high until
 * then, never too low.
 */
export function createDeadlineCounters(counters: Counters, timeoutMs: number): Counters {
  const inTime = <T>(answer: Promise<T>): Promise<T> =>
    withTimeout(answer, timeoutMs).catch((error: unknown) => {
      throw error instanceof TimeoutError ? new QuotaStoreError(error) : error;
    });

  return {
    async add(key, limit, units, lifetimeMs) {
      const answer = counters.add(key, limit, units, lifetimeMs);
      try {
        return await inTime(answer);
      } catch (error) {
        answer
          .then(({ expiresAtMs }) => counters.refund(key, units, expiresAtMs))
          .catch(() => undefined /* It lapses. */);
        throw error;
      }
    },
    refund: (...given) => inTime(counters.refund(...given)),
    getMany: (keys) => inTime(counters.getMany(keys)),
  };
}
