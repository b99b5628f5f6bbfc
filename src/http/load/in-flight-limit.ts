import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface InFlightSettings {
  /** Requests under way at once; 0: any number. */
  maxInFlight: number;
  /** How late the event loop may be, milliseconds; 0: however late. */
  maxEventLoopDelayMs: number;
  /** Called once for each episode, at the first request that is turned away. */
  onOverload: (reason: OverloadReason, state: LoadState) => void;
  /** Called when no request was turned away for a while. */
  onRecovery: (state: LoadState) => void;
}

export type OverloadReason = 'requests in flight' | 'event loop delay' | 'requests of one key';

export interface LoadState {
  inFlight: number;
  /** How many may be in flight at present. */
  limit: number;
  /** The median delay of the event loop's latest turns. */
  eventLoopDelayMs: number;
  overloaded: boolean;
  /** Episodes, and requests that were turned away in them, since the start of this process. */
  overloads: number;
  shed: number;
}

export interface InFlightLimit {
  /** Counts a request in, for `leave` to count it out; false: it is to be turned away. */
  enter(): boolean;
  leave: () => void;
  /** Counts a request as turned away that `enter` had let in, because its key has too many. */
  turnedAway(): void;
  state(): Readonly<LoadState>;
  close(): void;
}

const REVIEW_MS = 500;
const SAMPLE_MS = 20;
/** A median of fewer turns could be that of a single slow request. */
const FEWEST_TURNS = 3;
/** However late the loop is: less would not make slow requests any faster, and would leave the process idle. */
const LEAST_IN_FLIGHT = 4;
const GROWTH = 1.5;

/**
 * How many requests may be in flight. At most `maxInFlight`; fewer while the event loop is late, because then more are
 * let in than get done. The limit is halved from what was in flight for as long as the loop is late, and grows again by
 * steps: the process is kept busy, where shutting the door until the delay is gone would let it idle by turns.
 *
 * Lateness is the median over at least half a second, so that one long turn (a costly document, a collection of
 * garbage, a stopped process) is outvoted by the short ones after it.
 */
export function createInFlightLimit(settings: InFlightSettings): InFlightLimit {
  const { maxInFlight, maxEventLoopDelayMs, onOverload, onRecovery } = settings;
  const full = maxInFlight === 0 ? Infinity : maxInFlight;
  const least = Math.min(LEAST_IN_FLIGHT, full);
  const state: LoadState = {
    inFlight: 0,
    limit: full,
    eventLoopDelayMs: 0,
    overloaded: false,
    overloads: 0,
    shed: 0,
  };
  /** Since the last review. */
  let mostInFlight = 0;
  let shedBefore = 0;

  const turns = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  turns.enable();
  const reviews = setInterval(review, REVIEW_MS).unref();

  function review(): void {
    if (turns.count < FEWEST_TURNS) return;
    // A turn is measured from sample to sample; nanoseconds.
    state.eventLoopDelayMs = Math.max(0, Math.round(turns.percentile(50) / 1e6 - SAMPLE_MS));
    turns.reset();
    const hasShed = state.shed > shedBefore;
    state.limit = nextLimit(hasShed);
    mostInFlight = state.inFlight;
    shedBefore = state.shed;
    if (!state.overloaded || hasShed) return;
    state.overloaded = false;
    onRecovery(state);
  }

  function nextLimit(hasShed: boolean): number {
    if (maxEventLoopDelayMs > 0 && state.eventLoopDelayMs > maxEventLoopDelayMs)
      return Math.max(least, Math.floor(Math.min(state.limit, mostInFlight) / 2));
    return hasShed ? Math.min(full, Math.ceil(state.limit * GROWTH)) : full;
  }

  function turnAway(reason: OverloadReason): void {
    state.shed += 1;
    if (state.overloaded) return;
    state.overloaded = true;
    state.overloads += 1;
    onOverload(state.limit < full ? 'event loop delay' : reason, state);
  }

  return {
    enter() {
      if (state.inFlight >= state.limit) {
        turnAway('requests in flight');
        return false;
      }
      state.inFlight += 1;
      if (state.inFlight > mostInFlight) mostInFlight = state.inFlight;
      return true;
    },
    leave() {
      state.inFlight -= 1;
    },
    turnedAway: () => turnAway('requests of one key'),
    state: () => state,
    close() {
      clearInterval(reviews);
      turns.disable();
    },
  };
}
