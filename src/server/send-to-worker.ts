import type { Worker } from 'node:cluster';
import type { ToWorker } from './messages.js';

/** Does nothing if the worker has ended. */
export function sendToWorker(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}
