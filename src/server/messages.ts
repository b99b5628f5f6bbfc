import type { ToldMetrics } from '../observability/metrics/metrics.js';
import type { ManifestEntry } from '../config/operations-manifest.js';
import type { Message } from '../app/bus.js';

/** What a worker cannot find out for itself, or must not: it may begin long after the others. */
export interface Beginning {
  mongodbUri: string;
  listedOperations: readonly ManifestEntry[] | undefined;
}

/** What the first process of a gateway sends to its workers. */
export type ToWorker =
  /** Bind the port, and answer that the gateway is starting, until told to begin. */
  | { kind: 'listenFirst' }
  | ({ kind: 'begin' } & Beginning)
  | { kind: 'stop'; databaseLost: boolean }
  | { kind: 'deliver'; messages: Message[]; receipt: string | undefined }
  /** All workers have handled what this worker broadcast under `receipt`. */
  | { kind: 'delivered'; receipt: string }
  | { kind: 'sendMetrics'; receipt: string }
  /** The metrics of all workers, as this one asked for them; undefined where one of them did not answer. */
  | { kind: 'gathered'; receipt: string; text: string | undefined };

/** What a worker sends to the first process. */
export type ToPrimary =
  | { kind: 'listening'; port: number }
  | { kind: 'serving' }
  | { kind: 'failed'; message: string }
  | { kind: 'broadcast'; messages: Message[]; receipt: string | undefined }
  | { kind: 'delivered'; receipt: string }
  /** Its own. Only one that serves is asked. */
  | { kind: 'metrics'; receipt: string; metrics: ToldMetrics }
  | { kind: 'gather'; receipt: string };
