import { TimeoutError, withTimeout } from '../../lib/with-timeout.js';
import { QuotaStoreError, type Limiter } from './limiter.js';
import type { Meter } from '../plans/window.js';

export interface OutageSettings {
  /** Gateways × workers that share the store: each admits its part of a limit while the store is down. */
  shares: number;
  /** How long a request waits for the store before it is decided locally and the store counts as down. */
  callTimeoutMs: number;
  /** How long a store that is down is left alone between two probes. */
  retryMs: number;
  /** Asks the store for what a charge needs, a write; rejects while it cannot be had. */
  probe: () => Promise<unknown>;
  onOutage: (error: unknown) => void;
  onRecovery: (state: OutageState) => void;
}

export interface OutageState {
  down: boolean;
  /** Since the start of this process. */
  outages: number;
  /** Charges, refusals from memory and looks that were answered by the local limit, since the start of this process. */
  decidedLocally: number;
}

export interface FallbackLimiter extends Limiter {
  state(): Readonly<OutageState>;
  /** Whether the store takes writes; asks it, unless it is known to be down. */
  check(): Promise<boolean>;
  /** Ends the probes. */
  close(): void;
}

/**
 * Keeps admitting while the quota store is down, under this process's part of each limit, counted in memory: never
 * unlimited, never an error. A small breaker: once a call failed, no request waits for the store; a probe beside the
 * requests, one at a time, finds out when it is back. What the store counted then rules again.
 *
 * The local counts live on between outages: a store that comes and goes gives nobody more than one further local limit
 * in a window.
 */
export function createFallbackLimiter(
  primary: Limiter,
  local: Limiter,
  { shares, callTimeoutMs, retryMs, probe, onOutage, onRecovery }: OutageSettings,
): FallbackLimiter {
  const state: OutageState = { down: false, outages: 0, decidedLocally: 0 };
  /** Raised whenever the store goes or comes back: what was asked in an earlier one tells nothing about this one. */
  let episode = 0;
  let nextProbe: NodeJS.Timeout | undefined;
  let closed = false;

  function failed(askedIn: number, error: unknown): void {
    if (state.down || askedIn !== episode) return;
    state.down = true;
    state.outages += 1;
    episode += 1;
    onOutage(error);
    probeLater();
  }

  function probeLater(): void {
    if (!closed) nextProbe = setTimeout(() => void probeNow(), retryMs).unref();
  }

  async function probeNow(): Promise<void> {
    if (!(await answers())) {
      probeLater();
      return;
    }
    state.down = false;
    episode += 1;
    onRecovery(state);
  }

  const answers = (): Promise<boolean> =>
    withTimeout(probe(), callTimeoutMs).then(
      () => true,
      () => false,
    );

  async function guard<T>(
    ask: (givenUp: { readonly aborted: boolean }) => Promise<T>,
    instead: () => Promise<T>,
  ): Promise<T> {
    if (!state.down) {
      const askedIn = episode;
      const givenUp = { aborted: false };
      try {
        return await withTimeout(ask(givenUp), callTimeoutMs);
      } catch (error) {
        givenUp.aborted = true;
        if (!(error instanceof QuotaStoreError || error instanceof TimeoutError)) throw error;
        failed(askedIn, error);
      }
    }
    state.decidedLocally += 1;
    return instead();
  }

  /** At least 1, so that a small limit is not shut; a cost above the part is refused as any other. */
  const part = (meter: Meter): Meter => ({
    id: meter.id,
    windows: meter.windows.map((w) => ({ ...w, limit: Math.max(1, Math.floor(w.limit / shares)) })),
  });

  function rememberedLocally(meter: Meter, cost: number): ReturnType<Limiter['remembered']> {
    const refusal = state.down ? local.remembered(part(meter), cost) : undefined;
    if (refusal !== undefined) state.decidedLocally += 1;
    return refusal;
  }

  return {
    charge: (meter, cost) =>
      guard(
        (givenUp) => primary.charge(meter, cost, givenUp),
        () => local.charge(part(meter), cost),
      ),
    remembered: (meter, cost) => primary.remembered(meter, cost) ?? rememberedLocally(meter, cost),
    foresee: (meter, cost) =>
      guard(
        () => primary.foresee(meter, cost),
        () => local.foresee(part(meter), cost),
      ),
    peek: (meter) =>
      guard(
        () => primary.peek(meter),
        () => local.peek(part(meter)),
      ),
    peekMany: (meters) =>
      guard(
        () => primary.peekMany(meters),
        () => local.peekMany(meters.map(part)),
      ),
    state: () => state,
    async check() {
      if (state.down) return false;
      const askedIn = episode;
      if (await answers()) return true;
      failed(askedIn, new QuotaStoreError(new Error('a probe was not answered')));
      return false;
    },
    close() {
      closed = true;
      clearTimeout(nextProbe);
    },
  };
}
