import { Counter, Gauge, type Registry } from 'prom-client';
import { PREFIX } from './instruments.js';
import { withTimeout } from '../../lib/with-timeout.js';
import { SECOND_MS, type Clock } from '../../lib/clock.js';

/** A number, numbers by label, or undefined if the value is unavailable: a missing value says more than a late one. */
type Values = number | undefined | Readonly<Record<string, number>>;

/** How the values of a gateway's processes are combined; `sum` by default. */
type Aggregator = 'sum' | 'max' | 'min' | 'first';

/** Metrics whose values are kept elsewhere, and read at each scrape. */
export interface ReadAtScrape {
  gauge: (
    name: string,
    help: string,
    read: () => Values | Promise<Values>,
    settings?: { label?: string; aggregator?: Aggregator },
  ) => void;
  /** A number that only grows. */
  counter: (name: string, help: string, read: () => number) => void;
}

export function createReadAtScrape(registry: Registry): ReadAtScrape {
  const registers = [registry];
  return {
    gauge(name, help, read, { label, aggregator = 'sum' } = {}) {
      new Gauge({
        name: `${PREFIX}${name}`,
        help,
        labelNames: label === undefined ? [] : [label],
        aggregator,
        registers,
        async collect() {
          this.reset();
          for (const [of, value] of entriesOf(await read()))
            if (label === undefined) this.set(value);
            else this.set({ [label]: of }, value);
        },
      });
    },
    counter(name, help, read) {
      new Counter({
        name: `${PREFIX}${name}`,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },
  };
}

function entriesOf(values: Values): [string, number][] {
  if (values === undefined) return [];
  return typeof values === 'number' ? [['', values]] : Object.entries(values);
}

const PATIENCE_MS = 2000;

/** Resolves to undefined if a store does not answer within PATIENCE_MS: a missing gauge says more than a late one. */
export const inPatience = <T>(answer: Promise<T>): Promise<T | undefined> =>
  withTimeout(answer, PATIENCE_MS).catch(() => undefined);

/** Maximum age of a value: a store is read at most once in this time, however many clients scrape. */
const FRESH_MS = SECOND_MS;

/** Returns the value of `look`, at most FRESH_MS old. Concurrent callers wait for the same value. */
export function recentLook<T>(look: () => Promise<T>, clock: Clock): () => Promise<T> {
  let last: { beganMs: number; answer: Promise<T> } | undefined;
  return () => {
    const nowMs = clock();
    // The clock may be set back.
    if (last === undefined || Math.abs(nowMs - last.beganMs) >= FRESH_MS)
      last = { beganMs: nowMs, answer: look() };
    return last.answer;
  };
}
