import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createBodyPlaces } from './body-places.js';
import { createPlaceCounts, UNVERIFIED, type PlaceHolder } from './place-counts.js';

export interface InFlightSettings {
  /** Maximum number of requests in flight; 0 means no limit. */
  maxInFlight: number;
  /** Maximum event loop delay, milliseconds; 0 means no limit. */
  maxEventLoopDelayMs: number;
  /** Called once per overload episode, at the first rejected request. */
  onOverload: (reason: OverloadReason, state: LoadState) => void;
  /** Called after a review interval in which no request was rejected. */
  onRecovery: (state: LoadState) => void;
}

export type OverloadReason =
  | 'requests in flight'
  | 'event loop delay'
  | 'requests of one key'
  | 'requests of one project'
  | 'requests without a key'
  | 'bodies on the way';

export interface LoadState {
  /** Requests that are answered at the moment. Those in `receiving` are not among them. */
  inFlight: number;
  /** Requests whose bodies are on the way. */
  receiving: number;
  /** Requests since the start of this process whose bodies were on the way when the gateway wanted to read them. */
  received: number;
  /** The current limit of requests in flight. */
  limit: number;
  /** Median delay of the latest event loop turns, milliseconds. */
  eventLoopDelayMs: number;
  overloaded: boolean;
  /** All `maxInFlight` places were taken when a request was rejected, and at each review since. */
  full: boolean;
  /** Overload episodes, and requests rejected in them, since the start of this process. */
  overloads: number;
  shed: number;
}

/** The place of one request in flight. */
export interface InFlightPlace {
  /** Counts the request as one of `holder` from now on. Returns false if `holder` has its share: reject the request. */
  holdFor: (holder: PlaceHolder) => boolean;
  /**
   * Leaves the place to others while the body of the request is on the way. The request then counts among such requests.
   * Returns false if there is no room for one more: reject the request.
   * @param giveUp called if another request needs the room: reject the request
   */
  awaitBody: (giveUp: () => void) => boolean;
  /** Takes a place again, once the body is complete. Returns false if there is none: reject the request. */
  bodyArrived: () => boolean;
  /** A second call does nothing. */
  leave: () => void;
}

export interface InFlightLimit {
  /** Starts measuring the event loop. Until then its delay counts as 0. */
  start(): void;
  /**
   * Takes a place for a request. Returns undefined if the request must be rejected.
   * @param client the client of a request without a key; undefined if the request shows a key that is yet to be checked
   */
  enter(client?: string): InFlightPlace | undefined;
  /** Counts as rejected a request that `enter` let in, because its key has too many requests in flight. */
  turnedAway(): void;
  state(): Readonly<LoadState>;
  close(): void;
}

const REVIEW_MS = 500;
const SAMPLE_MS = 20;
/** Minimum number of turns for a median. With fewer turns, a single slow request could decide it. */
const FEWEST_TURNS = 3;
/**
 * The limit never drops below this number, however late the loop is. A lower limit would not speed up slow requests and
 * would leave the process idle.
 */
const LEAST_IN_FLIGHT = 4;
const GROWTH = 1.5;
/**
 * Limits the requests in flight to `maxInFlight`, and to fewer while the event loop is late, because then more requests
 * arrive than finish. While the loop is late, each review sets the limit to half of the current limit, or of the most
 * requests in flight since the review before if that is smaller. Afterwards the limit grows by steps. This keeps the
 * process busy; a limit of zero until the delay is gone would alternate between overload and idling.
 *
 * The delay is the median over at least half a second. One long turn (a costly document, a garbage collection, a
 * stopped process) is outvoted by the short turns after it.
 */
export function createInFlightLimit(settings: InFlightSettings): InFlightLimit {
  const { maxInFlight, maxEventLoopDelayMs, onOverload, onRecovery } = settings;
  const full = maxInFlight === 0 ? Infinity : maxInFlight;
  const least = Math.min(LEAST_IN_FLIGHT, full);
  const state: LoadState = {
    inFlight: 0,
    receiving: 0,
    received: 0,
    limit: full,
    eventLoopDelayMs: 0,
    overloaded: false,
    full: false,
    overloads: 0,
    shed: 0,
  };
  /** The most requests in flight at once since the last review. */
  let mostInFlight = 0;
  let shedBefore = 0;
  const counts = createPlaceCounts();
  const bodies = createBodyPlaces(full);

  const turns = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  let reviews: NodeJS.Timeout | undefined;

  function review(): void {
    if (turns.count < FEWEST_TURNS) return;
    // The histogram measures from sample to sample, in nanoseconds.
    state.eventLoopDelayMs = Math.max(0, Math.round(turns.percentile(50) / 1e6 - SAMPLE_MS));
    turns.reset();
    const hasShed = state.shed > shedBefore;
    state.limit = nextLimit(hasShed);
    mostInFlight = state.inFlight;
    shedBefore = state.shed;
    state.full &&= state.inFlight >= full;
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

  /** Takes a place for a request of `holder`. Returns false if there is none. */
  function take(holder: PlaceHolder): boolean {
    if (state.inFlight >= state.limit) {
      state.full = state.inFlight >= full;
      turnAway('requests in flight');
      return false;
    }
    if (!count(holder)) return false;
    state.inFlight += 1;
    mostInFlight = Math.max(mostInFlight, state.inFlight);
    return true;
  }

  /** Adds a request to those of `holder`. Returns false if `holder` has its share. */
  function count(holder: PlaceHolder): boolean {
    if (counts.add(holder, state.limit)) return true;
    turnAway(holder.kind === 'client' ? 'requests without a key' : 'requests of one project');
    return false;
  }

  function enter(first: PlaceHolder): InFlightPlace | undefined {
    if (!take(first)) return undefined;
    let holder = first;
    /** Where the request counts. */
    let among: 'places' | 'bodies' | 'none' = 'places';
    let leaveBodies: () => void = () => undefined;

    function leave(): void {
      if (among === 'places') {
        counts.remove(holder);
        state.inFlight -= 1;
      } else if (among === 'bodies') {
        leaveBodies();
        state.receiving -= 1;
      }
      among = 'none';
    }

    return {
      leave,
      holdFor(next) {
        if (among !== 'places') return false;
        counts.remove(holder);
        holder = next;
        if (count(next)) return true;
        state.inFlight -= 1;
        among = 'none';
        return false;
      },
      awaitBody(giveUp) {
        if (among !== 'places') return false;
        const left = bodies.enter(holder, () => {
          turnAway('bodies on the way');
          leave();
          giveUp();
        });
        if (left === undefined) {
          turnAway('bodies on the way');
          return false;
        }
        leave();
        leaveBodies = left;
        among = 'bodies';
        state.receiving += 1;
        state.received += 1;
        return true;
      },
      bodyArrived() {
        if (among !== 'bodies') return false;
        leave();
        if (!take(holder)) return false;
        among = 'places';
        return true;
      },
    };
  }

  return {
    start() {
      turns.enable();
      reviews ??= setInterval(review, REVIEW_MS).unref();
    },
    enter: (client) => enter(client === undefined ? UNVERIFIED : { kind: 'client', id: client }),
    turnedAway: () => turnAway('requests of one key'),
    state: () => state,
    close() {
      clearInterval(reviews);
      turns.disable();
    },
  };
}
