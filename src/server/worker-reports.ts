import type { Worker } from 'node:cluster';
import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import { withTimeout } from '../lib/with-timeout.js';
import type { ReportedMetrics } from '../observability/metrics/metrics.js';
import { worstOf, type Readiness } from '../features/system/readiness.js';
import type { ToPrimary, ToWorker } from './messages.js';
import { sendToWorker } from './send-to-worker.js';

/** What the workers of a gateway report to its primary process. */
export interface WorkerReports {
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
  /** The worst of what the workers report. @throws Error when a worker does not answer in 5 s, or none serves */
  readiness(): Promise<Readiness>;
}

type Report = Extract<ToPrimary, { kind: 'metrics' | 'readiness' }>;
type Request = Extract<ToWorker, { kind: 'sendMetrics' | 'sendReadiness' }>['kind'];

const PATIENCE_MS = 5000;

/**
 * Runs in the primary process. The sums keep the last counts received from each worker that has ended. Without these
 * counts, the sums would fall, and Prometheus would take that for a restart and count the history of the other workers
 * again.
 */
export function createWorkerReports(): WorkerReports {
  const workers = new Set<Worker>();
  const latest = new Map<Worker, ReportedMetrics>();
  const waiting = new Map<string, (report: Report) => void>();
  let ofEnded: ReportedMetrics = [];
  let ofDatabase: Registry | undefined;
  let lastReceipt = 0;
  const own = new Registry();
  registerStart(own);

  /** Resolves with undefined if the worker ends. @throws TimeoutError */
  async function ask(worker: Worker, kind: Request): Promise<Report | undefined> {
    const receipt = String(++lastReceipt);
    let gone: () => void = () => undefined;
    const report = new Promise<Report | undefined>((resolve) => {
      waiting.set(receipt, resolve);
      gone = () => resolve(undefined);
      worker.once('exit', gone);
      sendToWorker(worker, { kind, receipt });
    });
    try {
      return await withTimeout(report, PATIENCE_MS);
    } finally {
      waiting.delete(receipt);
      worker.off('exit', gone);
    }
  }

  async function askForMetrics(worker: Worker): Promise<void> {
    const report = await ask(worker, 'sendMetrics');
    // The counts of a worker that has ended meanwhile are already in `ofEnded`.
    if (report?.kind === 'metrics' && workers.has(worker)) latest.set(worker, report.metrics);
  }

  return {
    add(worker) {
      worker.on('message', (message: ToPrimary) => {
        // Before it serves, a worker has counted nothing, and it may be too busy with its start to answer in time.
        if (message.kind === 'serving') workers.add(worker);
        if (message.kind === 'metrics' || message.kind === 'readiness')
          waiting.get(message.receipt)?.(message);
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
      const [ofPrimary, lookedUp = []] = await Promise.all([
        own.getMetricsAsJSON(),
        ofDatabase?.getMetricsAsJSON(),
        ...Array.from(workers, askForMetrics),
      ]);
      // First, because prom-client combines the values of a metric as its first report says.
      return sumOf([ofPrimary, ...latest.values(), ofEnded, lookedUp]).metrics();
    },
    async readiness() {
      const reports = await Promise.all(Array.from(workers, (worker) => ask(worker, 'sendReadiness')));
      const worst = worstOf(
        reports.flatMap((report) => (report?.kind === 'readiness' ? [report.readiness] : [])),
      );
      if (worst === undefined) throw new Error('no worker serves');
      return worst;
    },
  };
}

/** The start of the gateway. prom-client omits it for workers, which start and end while the sums go on. */
function registerStart(registry: Registry): void {
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process since unix epoch in seconds.',
    aggregator: 'first',
    registers: [registry],
  }).set(Math.round(Date.now() / 1000 - process.uptime()));
}

const sumOf = (reports: readonly ReportedMetrics[]) => AggregatorRegistry.aggregate([...reports]);

/** False for a gauge, which describes a running process and ends with it. */
function isCounted({ type }: ReportedMetrics[number]): boolean {
  return (type as unknown as string) !== 'gauge';
}
