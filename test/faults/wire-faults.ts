import { setTimeout as sleep } from 'node:timers/promises';
import type { Toxic, Wire } from '../support/toxiproxy.js';
import type { Fault } from './live-through.js';

const FLAP_MS = 300;

const toxic = (type: Toxic['type'], stream: Toxic['stream'], attributes: Toxic['attributes']): Toxic => ({
  type,
  stream,
  attributes,
});

/** The faults of a wire, by what an operator would call them. */
export function wireFaults(wire: () => Wire) {
  const spoilt =
    (...toxics: Toxic[]) =>
    (name: string, lastsMs: number): Fault => ({
      name,
      lastsMs,
      begin: () => wire().spoil(...toxics),
      end: () => wire().restore(),
    });
  return {
    late: (latency: number) => spoilt(toxic('latency', 'downstream', { latency })),
    /** What was asked is done; nobody hears of it. */
    answersSwallowed: spoilt(toxic('timeout', 'downstream', { timeout: 0 })),
    allSwallowed: spoilt(
      toxic('timeout', 'upstream', { timeout: 0 }),
      toxic('timeout', 'downstream', { timeout: 0 }),
    ),
    reset: spoilt(toxic('reset_peer', 'downstream', { timeout: 0 })),
    /** 50 kB a second for each connection, in pieces of some 100 bytes. */
    slow: spoilt(
      toxic('bandwidth', 'downstream', { rate: 50 }),
      toxic('slicer', 'downstream', { average_size: 100, size_variation: 50, delay: 1000 }),
    ),
    down: (name: string, lastsMs: number): Fault => ({
      name,
      lastsMs,
      begin: () => wire().cut(),
      end: () => wire().restore(),
    }),
    flapping: (name: string, lastsMs: number): Fault => {
      let ended = false;
      let flaps = Promise.resolve();
      return {
        name,
        lastsMs,
        begin() {
          flaps = flap();
        },
        async end() {
          ended = true;
          await flaps;
        },
      };
      async function flap(): Promise<void> {
        while (!ended) {
          await wire().cut();
          await sleep(FLAP_MS);
          await wire().restore();
          await sleep(FLAP_MS);
        }
      }
    },
  };
}
