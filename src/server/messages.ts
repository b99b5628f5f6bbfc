import type { ToldMetrics } from '../observability/metrics/metrics.js';
import type { ManifestEntry } from '../config/operations-manifest.js';
import type { News } from '../app/peers.js';

/** What a worker cannot find out for itself, or must not: it may begin long after the others. */
export interface Beginning {
  mongodbUri: string;
  listedOperations: readonly ManifestEntry[] | undefined;
}

/** What the first process of a gateway tells its workers. */
export type ToWorker =
  /** Bind the port, and answer that the gateway is starting, until told to begin. */
  | { kind: 'listenFirst' }
  | ({ kind: 'begin' } & Beginning)
  | { kind: 'stop'; databaseLost: boolean }
  | { kind: 'told'; news: News[]; receipt: string | undefined }
  /** All have acted on what this worker told under `receipt`. */
  | { kind: 'acted'; receipt: string }
  | { kind: 'tellMetrics'; receipt: string }
  /** The metrics of all workers, as this one asked for them; undefined where one of them did not tell. */
  | { kind: 'gathered'; receipt: string; text: string | undefined };

/** What a worker tells the first process. */
export type ToPrimary =
  | { kind: 'listening'; port: number }
  | { kind: 'serving' }
  | { kind: 'failed'; message: string }
  | { kind: 'tell'; news: News[]; receipt: string | undefined }
  | { kind: 'acted'; receipt: string }
  /** Its own. Only one that serves is asked. */
  | { kind: 'metrics'; receipt: string; metrics: ToldMetrics }
  | { kind: 'gather'; receipt: string };
