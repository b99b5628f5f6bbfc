import type { Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { withTimeout } from '../lib/with-timeout.js';
import type { ReportedMetrics } from '../observability/metrics/metrics.js';
import type { ToPrimary } from './messages.js';
import { sendToWorker } from './send-to-worker.js';

export interface MetricsOfWorkers {
  add(worker: Worker): void;
  /**
   * From now on, the sums include the database metrics, which this process collects. Workers do not report these
   * metrics, so that each is queried once and counted once.
   */
  addOfDatabase(registry: Registry): void;
  /**
   * The summed metrics of all workers in the Prometheus text format. @throws Error when a worker does not answer in 5 s
   */
  gather(): Promise<string>;
}

const PATIENCE_MS = 5000;

/**
 * Runs in the primary process. The sums keep the last counts received from each worker that has ended. Without these
 * counts, the sums would fall, and Prometheus would take that for a restart and count the history of the other workers
 * again.
 */
export function createMetricsOfWorkers(): MetricsOfWorkers {
  const workers = new Set<Worker>();
  const latest = new Map<Worker, ReportedMetrics>();
  const waiting = new Map<string, (metrics: ReportedMetrics) => void>();
  let ofEnded: ReportedMetrics = [];
  let ofDatabase: Registry | undefined;
  let lastReceipt = 0;

  async function ask(worker: Worker): Promise<void> {
    const receipt = String(++lastReceipt);
    let gone: () => void = () => undefined;
    const report = new Promise<ReportedMetrics | undefined>((resolve) => {
      waiting.set(receipt, resolve);
      gone = () => resolve(undefined);
      worker.once('exit', gone);
      sendToWorker(worker, { kind: 'sendMetrics', receipt });
    });
    try {
      const metrics = await withTimeout(report, PATIENCE_MS);
      // The counts of a worker that has ended meanwhile are already in `ofEnded`.
      if (metrics !== undefined && workers.has(worker)) latest.set(worker, metrics);
    } finally {
      waiting.delete(receipt);
      worker.off('exit', gone);
    }
  }

  return {
    add(worker) {
      worker.on('message', (message: ToPrimary) => {
        // Before it serves, a worker has counted nothing, and it may be too busy with its start to answer in time.
        if (message.kind === 'serving') workers.add(worker);
        if (message.kind === 'metrics') waiting.get(message.receipt)?.(message.metrics);
      });
      worker.once('exit', () => {
        workers.delete(worker);
        const counted = (latest.get(worker) ?? []).filter(isCounted);
        latest.delete(worker);
        ofEnded = sumOf([ofEnded, counted]).getMetricsAsArray() as unknown as ReportedMetrics;
      });
    },
    addOfDatabase(registry) {
      ofDatabase = registry;
    },
    async gather() {
      const [lookedUp = []] = await Promise.all([
        ofDatabase?.getMetricsAsJSON(),
        ...Array.from(workers, ask),
      ]);
      return sumOf([...latest.values(), ofEnded, lookedUp]).metrics();
    },
  };
}

const sumOf = (reports: readonly ReportedMetrics[]) => AggregatorRegistry.aggregate([...reports]);

/** False for a gauge, which describes a running process and ends with it. */
function isCounted({ type }: ReportedMetrics[number]): boolean {
  return (type as unknown as string) !== 'gauge';
}
