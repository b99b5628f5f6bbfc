import type { WindowName } from '../../../src/features/plans/window.js';

/** One request as its client saw it. Times are milliseconds of one stopwatch. */
export interface Answer {
  /** The name of the API key. */
  key: string;
  /** The gateway process that was asked: another one after each start. */
  gateway: string;
  sentMs: number;
  receivedMs: number;
  /** Units that the request costs. */
  cost: number;
  /** `unknown`: no answer, or one that does not tell whether the cost was counted. */
  outcome: 'admitted' | 'rejected' | 'unknown';
  /** What the answer says of the windows; nothing where it cannot be trusted. */
  windows: Partial<Record<WindowName, { remaining: number; secondsLeft: number }>>;
}

export interface CheckedKey {
  name: string;
  limits: Record<WindowName, number>;
}

/** A time in which a gateway process applied local limits. */
interface Outage {
  gateway: string;
  fromMs: number;
  /** When it ended; Infinity: not yet. */
  toMs: number;
  /** The process was killed meanwhile, so it never added to the store what it admitted. */
  isLost: boolean;
}

/** The answers that say that their window ends at the same time. */
interface Window {
  /** Its end is between these, as all answers say. */
  endsAfterMs: number;
  endsBeforeMs: number;
  answers: (Answer & { remaining: number })[];
}

interface Stream {
  key: string;
  name: WindowName;
  limit: number;
  open: Window[];
  /** Whose window is unknown: they may have been counted in any that ran then. */
  unplaced: Answer[];
}

export interface CheckedWindows {
  /** Windows in which no gateway process applied local limits, and the others. */
  clean: number;
  withOutage: number;
  /** Windows of which the whole limit was admitted. */
  full: number;
  /** Admitted beyond the limit at most, among the windows with an outage. */
  mostOver: { units: number; limit: number };
  violations: readonly string[];
}

export interface Checker {
  record(answer: Answer): void;
  outageBegan(gateway: string, atMs: number): void;
  outageEnded(gateway: string, atMs: number): void;
  gatewayEnded(gateway: string, atMs: number): void;
  /** Checks the windows that have ended and forgets them; `Infinity` for all. */
  sweep(nowMs: number): void;
  verdict(): CheckedWindows;
}

const WINDOW_MS: Record<WindowName, number> = { minute: 60_000, day: 86_400_000 };
/** What a millisecond of rounding here and there adds up to. */
const ROUNDING_MS = 50;
/** How far the log of a gateway and the answers that it sent meanwhile may arrive apart. */
const LOG_MS = 1500;
/**
 * A rejection from memory tells an end that is as much too late as the gateway was late to read the store's answer, the
 * one that it remembers.
 */
const LATE_MS = 5000;
/** No request is under way for longer. */
const LONGEST_REQUEST_MS = 30_000;

/**
 * Checks what clients were answered against what limits promise:
 * - no window admits more than its limit;
 * - a request is rejected only if the limit may have been used up by requests that were sent before the rejection;
 * - Remaining is never more than the limit without the requests that were answered before.
 *
 * An answer says in how many seconds its window ends, by the store's clock. So the window's end lies in an interval of
 * a second and the time that the answer took. Answers whose intervals overlap are of one window, because two windows of
 * a key end at least their length apart.
 *
 * While a gateway process applies local limits, nobody knows what all of them admit. Then the bounds of
 * docs/reliability.md hold: each process admits its share of what was left when it last saw the key.
 *
 * @param shares among how many processes what is left is divided
 */
export function createChecker(keys: readonly CheckedKey[], shares: number): Checker {
  const streams: Stream[] = keys.flatMap(({ name: key, limits }) =>
    (Object.entries(limits) as [WindowName, number][]).map(([name, limit]) => ({
      ...{ key, name, limit },
      open: [],
      unplaced: [],
    })),
  );
  const outages: Outage[] = [];
  const violations: string[] = [];
  let [clean, withOutage, full] = [0, 0, 0];
  let mostOver = { units: 0, limit: 0 };

  function place(stream: Stream, answer: Answer): void {
    const said = answer.windows[stream.name];
    const tellsWindow = said !== undefined && (answer.outcome === 'admitted' || said.remaining < answer.cost);
    if (answer.outcome === 'unknown' || (said === undefined && answer.outcome === 'admitted')) {
      stream.unplaced.push(answer);
      return;
    }
    // Rejected because of the other window; this one may not have started.
    if (!tellsWindow) return;
    const lateMs = answer.outcome === 'rejected' ? LATE_MS : 0;
    const afterMs = answer.sentMs + (said.secondsLeft - 1) * 1000 - ROUNDING_MS - lateMs;
    const beforeMs = answer.receivedMs + said.secondsLeft * 1000 + ROUNDING_MS;
    let window = stream.open.find((one) => one.endsAfterMs <= beforeMs && afterMs <= one.endsBeforeMs);
    if (window === undefined)
      stream.open.push((window = { endsAfterMs: afterMs, endsBeforeMs: beforeMs, answers: [] }));
    window.endsAfterMs = Math.max(window.endsAfterMs, afterMs);
    window.endsBeforeMs = Math.min(window.endsBeforeMs, beforeMs);
    window.answers.push({ ...answer, remaining: said.remaining });
  }

  function check(stream: Stream, window: Window): void {
    const { key, name, limit } = stream;
    const begunMs = window.endsAfterMs - WINDOW_MS[name];
    const during = outages.filter(
      ({ fromMs, toMs }) => fromMs - LOG_MS <= window.endsBeforeMs && toMs + LOG_MS >= begunMs,
    );
    const fault = (what: string) =>
      violations.push(
        `${key} ${name}, window until ${Math.round(window.endsBeforeMs)}, limit ${limit}, outages ${during.length}: ${what}`,
      );
    const admitted = window.answers.filter(({ outcome }) => outcome === 'admitted');
    const units = unitsOf(admitted);
    if (units >= limit) full += 1;

    if (during.length === 0) {
      clean += 1;
      if (units > limit) fault(`${units} admitted`);
      checkRejections(stream, window, begunMs, fault);
      checkRemaining(stream, window.answers, admitted, fault);
      const next = stream.open.find(
        (other) =>
          other !== window &&
          other.endsAfterMs > window.endsAfterMs &&
          other.endsBeforeMs - window.endsAfterMs < WINDOW_MS[name] &&
          !outages.some(
            ({ fromMs, toMs }) => fromMs - LOG_MS <= other.endsBeforeMs && toMs + LOG_MS >= begunMs,
          ),
      );
      if (next !== undefined)
        fault(`the next one ends ${Math.round(next.endsBeforeMs - window.endsAfterMs)} ms later`);
      return;
    }

    withOutage += 1;
    if (units - limit > mostOver.units) mostOver = { units: units - limit, limit };
    let mostLocal = 0;
    for (const outage of during) {
      const share = shareOf(limit, window, outage, during);
      mostLocal += share;
      const local = unitsOf(admitted.filter((one) => isSurelyIn(one, outage)));
      if (local > share) fault(`${outage.gateway} admitted ${local} locally, its share is ${share}`);
    }
    const byStore = unitsOf(admitted.filter((one) => !during.some((outage) => mayBeIn(one, outage))));
    if (byStore > limit) fault(`the store admitted ${byStore}`);
    if (units > limit + mostLocal) fault(`${units} admitted, the shares are ${mostLocal}`);
    // Once all have settled, the store knows what those that live admitted.
    const settledMs = Math.max(...during.map(({ toMs }) => toMs)) + 2 * LOG_MS;
    const lost = during.filter(({ isLost }) => isLost);
    checkRemaining(
      stream,
      window.answers.filter(({ sentMs }) => sentMs > settledMs),
      admitted.filter((one) => !lost.some((outage) => mayBeIn(one, outage))),
      fault,
    );
  }

  /** Its part of what was left when it last saw the key before it lost the store. */
  function shareOf(limit: number, { answers }: Window, outage: Outage, during: readonly Outage[]): number {
    const earlier = during.some((one) => one.gateway === outage.gateway && one.fromMs < outage.fromMs);
    let left = limit;
    // What it took back between two outages is unknown.
    if (!earlier)
      for (const { gateway, receivedMs, remaining } of answers)
        if (gateway === outage.gateway && receivedMs < outage.fromMs - 3 * LOG_MS)
          left = Math.min(left, remaining);
    return Math.floor(left / shares);
  }

  function checkRejections(
    { limit, unplaced }: Stream,
    { answers, endsBeforeMs }: Window,
    begunMs: number,
    fault: (what: string) => void,
  ): void {
    const possible = [
      // From the eleventh in a minute on, the rejection of a query costs 1.
      ...answers.map((one) => (one.outcome === 'rejected' ? { ...one, cost: one.cost > 1 ? 1 : 0 } : one)),
      ...unplaced.filter(
        ({ sentMs, receivedMs }) => receivedMs + LONGEST_REQUEST_MS > begunMs && sentMs < endsBeforeMs,
      ),
    ];
    const usedBefore = sums(possible.map(({ sentMs, cost }) => [sentMs, cost]));
    for (const { outcome, cost, receivedMs, gateway } of answers) {
      if (outcome !== 'rejected') continue;
      const used = usedBefore(receivedMs);
      if (used + cost <= limit)
        fault(`${gateway} rejected ${cost} at ${Math.round(receivedMs)}, when ${used} at most were used`);
    }
  }

  function checkRemaining(
    { limit }: Stream,
    answers: Window['answers'],
    admitted: readonly Answer[],
    fault: (what: string) => void,
  ): void {
    const usedBefore = sums(admitted.map(({ receivedMs, cost }) => [receivedMs, cost]));
    for (const { outcome, cost, sentMs, remaining, gateway } of answers) {
      const used = usedBefore(sentMs) + (outcome === 'admitted' ? cost : 0);
      if (remaining > Math.max(0, limit - used))
        fault(
          `${gateway} said ${remaining} remained to a request of ${Math.round(sentMs)}, when ${used} were used`,
        );
    }
  }

  return {
    record(answer) {
      for (const stream of streams) if (stream.key === answer.key) place(stream, answer);
    },
    outageBegan(gateway, atMs) {
      outages.push({ gateway, fromMs: atMs, toMs: Infinity, isLost: false });
    },
    outageEnded(gateway, atMs) {
      for (const one of outages) if (one.gateway === gateway && one.toMs === Infinity) one.toMs = atMs;
    },
    gatewayEnded(gateway, atMs) {
      for (const one of outages)
        if (one.gateway === gateway && one.toMs + 2 * LOG_MS > atMs)
          Object.assign(one, { toMs: Math.min(one.toMs, atMs), isLost: true });
    },
    sweep(nowMs) {
      for (const stream of streams) {
        const ended = stream.open.filter(
          ({ endsBeforeMs }) => nowMs === Infinity || endsBeforeMs + 2 * LONGEST_REQUEST_MS < nowMs,
        );
        for (const window of ended) check(stream, window);
        stream.open = stream.open.filter((window) => !ended.includes(window));
        stream.unplaced = stream.unplaced.filter(
          ({ sentMs }) => sentMs + 2 * WINDOW_MS[stream.name] + 4 * LONGEST_REQUEST_MS > nowMs,
        );
      }
    },
    verdict: () => ({ clean, withOutage, full, mostOver, violations }),
  };
}

const unitsOf = (answers: readonly Answer[]) => answers.reduce((sum, { cost }) => sum + cost, 0);
const isSurelyIn = (answer: Answer, { gateway, fromMs, toMs }: Outage) =>
  answer.gateway === gateway && answer.sentMs > fromMs && answer.receivedMs < toMs - LOG_MS;
const mayBeIn = (answer: Answer, { gateway, fromMs, toMs }: Outage) =>
  answer.gateway === gateway && answer.receivedMs > fromMs - LOG_MS && answer.sentMs < toMs + LOG_MS;

/** @returns the sum of the units whose time is before the given one */
function sums(timed: readonly (readonly [atMs: number, units: number])[]): (beforeMs: number) => number {
  const sorted = timed.toSorted(([a], [b]) => a - b);
  const totals: number[] = [];
  let total = 0;
  for (const [, units] of sorted) totals.push((total += units));
  return (beforeMs) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.[0] ?? Infinity) < beforeMs) low = middle + 1;
      else high = middle;
    }
    return totals[low - 1] ?? 0;
  };
}
