import type { Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { withTimeout } from '../lib/with-timeout.js';
import type { ToldMetrics } from '../observability/metrics/metrics.js';
import type { ToPrimary } from './messages.js';
import { sendToWorker } from './send-to-worker.js';

export interface MetricsOfWorkers {
  add(worker: Worker): void;
  /** From now on this process tells what is of the database, which no worker does: it is looked up once, and stands once. */
  addOfDatabase(registry: Registry): void;
  /** Of all workers, added up, in the text format of Prometheus. @throws Error when one does not answer within 5 s */
  gather(): Promise<string>;
}

const PATIENCE_MS = 5000;

/**
 * In the first process. What a worker that has ended counted until it was last asked stays in the sums: without it they
 * would fall, and Prometheus would take that for a restart and count the others' history once more.
 */
export function createMetricsOfWorkers(): MetricsOfWorkers {
  const workers = new Set<Worker>();
  const latest = new Map<Worker, ToldMetrics>();
  const waiting = new Map<string, (metrics: ToldMetrics) => void>();
  let ofEnded: ToldMetrics = [];
  let ofDatabase: Registry | undefined;
  let lastReceipt = 0;

  async function ask(worker: Worker): Promise<void> {
    const receipt = String(++lastReceipt);
    let gone: () => void = () => undefined;
    const told = new Promise<ToldMetrics | undefined>((resolve) => {
      waiting.set(receipt, resolve);
      gone = () => resolve(undefined);
      worker.once('exit', gone);
      sendToWorker(worker, { kind: 'sendMetrics', receipt });
    });
    try {
      const metrics = await withTimeout(told, PATIENCE_MS);
      // One that has ended meanwhile is counted among those.
      if (metrics !== undefined && workers.has(worker)) latest.set(worker, metrics);
    } finally {
      waiting.delete(receipt);
      worker.off('exit', gone);
    }
  }

  return {
    add(worker) {
      worker.on('message', (message: ToPrimary) => {
        // Before, it has counted nothing, and may be so busy with its start that it answers late.
        if (message.kind === 'serving') workers.add(worker);
        if (message.kind === 'metrics') waiting.get(message.receipt)?.(message.metrics);
      });
      worker.once('exit', () => {
        workers.delete(worker);
        const counted = (latest.get(worker) ?? []).filter(isCounted);
        latest.delete(worker);
        ofEnded = sumOf([ofEnded, counted]).getMetricsAsArray() as unknown as ToldMetrics;
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

const sumOf = (told: readonly ToldMetrics[]) => AggregatorRegistry.aggregate([...told]);

/** A gauge speaks of what is, and ends with its process. */
function isCounted({ type }: ToldMetrics[number]): boolean {
  return (type as unknown as string) !== 'gauge';
}
