import cluster, { type Worker } from 'node:cluster';
import type { Registry } from 'prom-client';
import type { Logger } from '../lib/logger.js';
import type { Beginning, ToPrimary } from './messages.js';
import { createRelay } from './relay.js';
import { createMetricsOfWorkers } from './gather-metrics.js';
import { sendToWorker } from './send-to-worker.js';

/** How long after a worker died another takes its place, milliseconds. */
const REPLACE_MS = 1000;

export interface WorkerPool {
  /** Resolves to the port once all listen. @throws Error with what a worker said */
  listening: Promise<number>;
  /**
   * Resolves once all serve.
   * @param ofDatabase what this process tells in the workers' metrics
   * @throws Error with what a worker said
   */
  begin(beginning: Beginning, ofDatabase: Registry): Promise<void>;
  /** Of all workers. @throws Error when one does not answer in time */
  gatherMetrics(): Promise<string>;
  stop(how: { databaseLost: boolean; graceMs: number }): Promise<void>;
}

/** Starts so many workers; one that dies later is replaced. */
export function startWorkerPool(count: number, log: Logger): WorkerPool {
  const relay = createRelay();
  const metrics = createMetricsOfWorkers();
  let beginning: Beginning | undefined;
  let serving = false;
  let stopping = false;

  function start(): { listening: Promise<number>; serving: Promise<void>; worker: Worker } {
    const worker = cluster.fork();
    // Whoever waits for the one learns of a failure; nobody may wait for the other yet.
    const said = <K extends ToPrimary['kind']>(kind: K) =>
      new Promise<Extract<ToPrimary, { kind: K }>>((resolve, reject) => {
        worker.on('message', (message: ToPrimary) => {
          if (message.kind === kind) resolve(message as Extract<ToPrimary, { kind: K }>);
          if (message.kind === 'failed') reject(new Error(message.message));
        });
        worker.once('exit', () => reject(new Error('a worker ended before it served')));
      });
    relay.add(worker);
    metrics.add(worker);
    worker.on('message', (message: ToPrimary) => {
      if (message.kind !== 'gather') return;
      const answer = (text: string | undefined) =>
        sendToWorker(worker, { kind: 'gathered', receipt: message.receipt, text });
      metrics.gather().then(answer, () => answer(undefined));
    });
    const listening = said('listening').then(({ port }) => port);
    const nowServing = said('serving').then(() => undefined);
    for (const promise of [listening, nowServing]) promise.catch(() => undefined);
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (!serving || stopping) return;
      log.error({ workerPid: worker.process.pid, code, signal }, 'a worker ended; another takes its place');
      setTimeout(() => void replace(), REPLACE_MS);
    });
    return { worker, listening, serving: nowServing };
  }

  async function replace(): Promise<void> {
    if (stopping || beginning === undefined) return;
    const { worker, serving: nowServing } = start();
    try {
      sendToWorker(worker, { kind: 'begin', ...beginning });
      await nowServing;
    } catch (error) {
      log.error({ err: error }, 'a worker could not take the place of another');
    }
  }

  const first = Array.from({ length: count }, start);
  for (const { worker } of first) sendToWorker(worker, { kind: 'listenFirst' });
  return {
    gatherMetrics: () => metrics.gather(),
    listening: Promise.all(first.map(({ listening }) => listening)).then(([port = 0]) => port),
    async begin(given, ofDatabase) {
      beginning = given;
      metrics.addOfDatabase(ofDatabase);
      for (const { worker } of first) sendToWorker(worker, { kind: 'begin', ...given });
      await Promise.all(first.map((one) => one.serving));
      serving = true;
    },
    async stop({ databaseLost, graceMs }) {
      stopping = true;
      // One that has just ended may be among them still, and would never end.
      const running = Object.values(cluster.workers ?? {}).flatMap((worker) =>
        worker === undefined || worker.isDead() ? [] : [worker],
      );
      await Promise.all(
        running.map(async (worker) => {
          const ended = new Promise((resolve) => worker.once('exit', resolve));
          sendToWorker(worker, { kind: 'stop', databaseLost });
          const cut = setTimeout(() => worker.process.kill('SIGKILL'), graceMs);
          await ended;
          clearTimeout(cut);
        }),
      );
    },
  };
}
