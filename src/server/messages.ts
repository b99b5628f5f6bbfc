import type { ReportedMetrics } from '../observability/metrics/metrics.js';
import type { ManifestEntry } from '../config/operations-manifest.js';
import type { Message } from '../features/system/bus.js';
import type { Readiness } from '../features/system/readiness.js';

/** Values that a worker cannot or must not determine itself, because it may start long after the other workers. */
export interface Beginning {
  mongodbUri: string;
  listedOperations: readonly ManifestEntry[] | undefined;
}

/** Messages from the primary process of a gateway to its workers. */
export type ToWorker =
  /** Bind the port, and answer that the gateway is starting until `begin` arrives. */
  | { kind: 'listenFirst' }
  | ({ kind: 'begin' } & Beginning)
  | { kind: 'stop'; databaseLost: boolean }
  | { kind: 'deliver'; messages: Message[]; receipt: string | undefined }
  /** All workers have handled the message that this worker broadcast under `receipt`. */
  | { kind: 'delivered'; receipt: string }
  | { kind: 'sendMetrics'; receipt: string }
  | { kind: 'sendReadiness'; receipt: string }
  /** The metrics of all workers, which this worker requested; undefined if a worker did not answer. */
  | { kind: 'gathered'; receipt: string; text: string | undefined };

/** Messages from a worker to the primary process. */
export type ToPrimary =
  | { kind: 'listening'; port: number }
  | { kind: 'serving' }
  | { kind: 'failed'; message: string }
  | { kind: 'broadcast'; messages: Message[]; receipt: string | undefined }
  | { kind: 'delivered'; receipt: string }
  /** The metrics of this worker. The primary process asks only workers that serve. */
  | { kind: 'metrics'; receipt: string; metrics: ReportedMetrics }
  /** The readiness of this worker, likewise. */
  | { kind: 'readiness'; receipt: string; readiness: Readiness }
  | { kind: 'gather'; receipt: string };
