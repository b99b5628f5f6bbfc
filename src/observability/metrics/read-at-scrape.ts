import { Counter, Gauge, type Registry } from 'prom-client';
import { PREFIX } from './instruments.js';

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
