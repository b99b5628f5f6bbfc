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

export type OverloadReason =
  'requests in flight' | 'event loop delay' | 'requests of one key' | 'requests without a key';

export interface LoadState {
  inFlight: number;
  /** How many may be in flight at present. */
  limit: number;
  /** The median delay of the event loop's latest turns. */
  eventLoopDelayMs: number;
  overloaded: boolean;
  /** All of `maxInFlight` are taken, and requests were turned away for that. */
  full: boolean;
  /** Episodes, and requests that were turned away in them, since the start of this process. */
  overloads: number;
  shed: number;
}

/** That of one request among those in flight. Each function does nothing the second time. */
export interface InFlightPlace {
  /** Its client has a valid key: the request no longer counts as unauthenticated. */
  recognise: () => void;
  leave: () => void;
}

export interface InFlightLimit {
  /** Begins to measure the event loop. Until then it counts as punctual. */
  start(): void;
  /**
   * Counts a request in; undefined: it is to be turned away.
   * @param client the client, where it shows no key: all of them have a part of the places, and one of them less
   */
  enter(client?: string): InFlightPlace | undefined;
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
/** What requests without a key may have of all places, and those of one client without one: the rest is for keys. */
const SHARE_OF_STRANGERS = 1 / 4;
const SHARE_OF_ONE_STRANGER = 1 / 16;

/**
 * How many requests may be in flight. At most `maxInFlight`; fewer while the event loop is late, because then more are
 * let in than get done. The limit is halved from what was in flight for as long as the loop is late, and grows again by
 * steps: the process is kept busy, where a limit of zero until the delay is gone would let it idle by turns.
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
    full: false,
    overloads: 0,
    shed: 0,
  };
  /** Since the last review. */
  let mostInFlight = 0;
  let shedBefore = 0;
  const unauthenticated = createUnauthenticatedClients();

  const turns = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  let reviews: NodeJS.Timeout | undefined;

  function review(): void {
    if (turns.count < FEWEST_TURNS) return;
    // A turn is measured from sample to sample; nanoseconds.
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
      if (state.inFlight > mostInFlight) mostInFlight = state.inFlight;
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

/** Requests in flight without a key, by their client. */
function createUnauthenticatedClients() {
  const byClient = new Map<string, number>();
  let all = 0;
  const countOf = (client: string) => byClient.get(client) ?? 0;
  const partOf = (limit: number, share: number) => Math.max(1, Math.floor(limit * share));

  return {
    haveRoomFor: (client: string, limit: number) =>
      all < partOf(limit, SHARE_OF_STRANGERS) && countOf(client) < partOf(limit, SHARE_OF_ONE_STRANGER),
    /** Returns what takes it away again. */
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

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
