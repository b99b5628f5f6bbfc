import { monitorEventLoopDelay } from 'node:perf_hooks';
import { once } from '../../lib/once.js';

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
  'requests in flight' | 'event loop delay' | 'requests of one key' | 'requests without a key';

export interface LoadState {
  inFlight: number;
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

/** The place of one request in flight. Each function does nothing when called again. */
export interface InFlightPlace {
  /** Marks the client's key as valid: the request no longer counts as unauthenticated. */
  recognise: () => void;
  leave: () => void;
}

export interface InFlightLimit {
  /** Starts measuring the event loop. Until then its delay counts as 0. */
  start(): void;
  /**
   * Takes a place for a request. Returns undefined if the request must be rejected.
   * @param client the client of a request without a key; such requests share a part of the places, and each client has
   * a smaller part
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
 * Share of all places that requests without a key may take together, and that one such client may take. The rest is
 * reserved for requests with keys.
 */
const UNAUTHENTICATED_SHARE = 1 / 4;
const ONE_CLIENT_SHARE = 1 / 16;

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
  const unauthenticated = createUnauthenticatedClients();

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

  return {
    start() {
      turns.enable();
      reviews ??= setInterval(review, REVIEW_MS).unref();
    },
    enter(client) {
      if (state.inFlight >= state.limit) {
        state.full = state.inFlight >= full;
        turnAway('requests in flight');
        return undefined;
      }
      if (client !== undefined && !unauthenticated.haveRoomFor(client, state.limit)) {
        turnAway('requests without a key');
        return undefined;
      }
      state.inFlight += 1;
      mostInFlight = Math.max(mostInFlight, state.inFlight);
      const recognise = client === undefined ? () => undefined : unauthenticated.add(client);
      return {
        recognise,
        leave: once(() => {
          recognise();
          state.inFlight -= 1;
        }),
      };
    },
    turnedAway: () => turnAway('requests of one key'),
    state: () => state,
    close() {
      clearInterval(reviews);
      turns.disable();
    },
  };
}

/** Counts the requests in flight without a key, by client. */
function createUnauthenticatedClients() {
  const byClient = new Map<string, number>();
  let all = 0;
  const countOf = (client: string) => byClient.get(client) ?? 0;
  const partOf = (limit: number, share: number) => Math.max(1, Math.floor(limit * share));

  return {
    haveRoomFor: (client: string, limit: number) =>
      all < partOf(limit, UNAUTHENTICATED_SHARE) && countOf(client) < partOf(limit, ONE_CLIENT_SHARE),
    /** Returns a function that removes the request again. */
    add(client: string): () => void {
      all += 1;
      byClient.set(client, countOf(client) + 1);
      return once(() => {
        all -= 1;
        const left = countOf(client) - 1;
        if (left === 0) byClient.delete(client);
        else byClient.set(client, left);
      });
    },
  };
}
