import type { Worker } from 'node:cluster';
import type { ToWorker } from './messages.js';

/** One that has just ended need not be told. */
export function sendToWorker(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
