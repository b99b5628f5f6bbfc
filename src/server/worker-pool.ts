import cluster, { type Worker } from 'node:cluster';
import type { Registry } from 'prom-client';
import type { Readiness } from '../features/system/readiness.js';
import type { Logger } from '../lib/logger.js';
import type { Beginning, ToPrimary } from './messages.js';
import { createRelay } from './relay.js';
import { createWorkerReports } from './worker-reports.js';
import { sendToWorker } from './send-to-worker.js';

/** The delay before a worker that died is replaced, milliseconds. */
const REPLACE_MS = 1000;

export interface WorkerPool {
  /** Resolves with the port once all workers listen. @throws Error with the message of a worker that failed */
  listening: Promise<number>;
  /**
   * Resolves once all workers serve.
   * @param ofDatabase the database metrics that this process adds to the metrics of the workers
   * @throws Error with the message of a worker that failed
   */
  begin(beginning: Beginning, ofDatabase: Registry): Promise<void>;
  /** The metrics of all workers. @throws Error when a worker does not answer in time */
  gatherMetrics(): Promise<string>;
  /** The worst readiness of the workers. @throws Error when a worker does not answer in time */
  readiness(): Promise<Readiness>;
  stop(how: { databaseLost: boolean; graceMs: number }): Promise<void>;
}

/** Starts `count` workers. Once all of them serve, the pool replaces each worker that dies. */
export function startWorkerPool(count: number, log: Logger): WorkerPool {
  const relay = createRelay();
  const reports = createWorkerReports();
  let beginning: Beginning | undefined;
  let serving = false;
  let stopping = false;

  function start(): { listening: Promise<number>; serving: Promise<void>; worker: Worker } {
    const worker = cluster.fork();
    // A failure rejects every promise made here. Callers may not wait for all of them yet, hence the empty `catch`
    // below.
    const said = <K extends ToPrimary['kind']>(kind: K) =>
      new Promise<Extract<ToPrimary, { kind: K }>>((resolve, reject) => {
        worker.on('message', (message: ToPrimary) => {
          if (message.kind === kind) resolve(message as Extract<ToPrimary, { kind: K }>);
          if (message.kind === 'failed') reject(new Error(message.message));
        });
        worker.once('exit', () => reject(new Error('a worker ended before it served')));
      });
    relay.add(worker);
    reports.add(worker);
    worker.on('message', (message: ToPrimary) => {
      if (message.kind !== 'gather') return;
      const answer = (text: string | undefined) =>
        sendToWorker(worker, { kind: 'gathered', receipt: message.receipt, text });
      reports.gather().then(answer, () => answer(undefined));
    });
    const listening = said('listening').then(({ port }) => port);
    const nowServing = said('serving').then(() => undefined);
    for (const promise of [listening, nowServing]) promise.catch(() => undefined);
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (!serving || stopping) return;
      log.error({ workerPid: worker.process.pid, code, signal }, 'A worker ended; starting another');
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
      log.error({ err: error }, 'Could not start a worker in place of the one that ended');
    }
  }

  const first = Array.from({ length: count }, start);
  for (const { worker } of first) sendToWorker(worker, { kind: 'listenFirst' });
  return {
    gatherMetrics: () => reports.gather(),
    readiness: () => reports.readiness(),
    listening: Promise.all(first.map(({ listening }) => listening)).then(([port = 0]) => port),
    async begin(given, ofDatabase) {
      beginning = given;
      reports.addOfDatabase(ofDatabase);
      for (const { worker } of first) sendToWorker(worker, { kind: 'begin', ...given });
      await Promise.all(first.map((one) => one.serving));
      serving = true;
    },
    async stop({ databaseLost, graceMs }) {
      stopping = true;
      // A worker that has just ended may still be listed, but does not emit `exit` again.
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
