import type { Worker } from 'node:cluster';
import type { ToPrimary } from './messages.js';
import { sendToWorker } from './send-to-worker.js';

/** A broadcast that some workers have not handled yet. */
interface PendingBroadcast {
  sender: Worker;
  receipt: string;
  waitedFor: Set<Worker>;
}

/**
 * Forwards the broadcasts of each worker to all other workers, and notifies the sender once all of them have handled a
 * message.
 */
export function createRelay(): { add: (worker: Worker) => void } {
  const workers = new Set<Worker>();
  const pending = new Map<string, PendingBroadcast>();

  function acknowledge(worker: Worker, receipt: string): void {
    const one = pending.get(receipt);
    if (one === undefined) return;
    one.waitedFor.delete(worker);
    if (one.waitedFor.size > 0) return;
    pending.delete(receipt);
    sendToWorker(one.sender, { kind: 'delivered', receipt: one.receipt });
  }

  function receive(worker: Worker, message: ToPrimary): void {
    if (message.kind === 'delivered') acknowledge(worker, message.receipt);
    if (message.kind !== 'broadcast') return;
    const others = [...workers].filter((other) => other !== worker);
    const receipt = message.receipt === undefined ? undefined : `${worker.id} ${message.receipt}`;
    if (receipt !== undefined && message.receipt !== undefined)
      pending.set(receipt, { sender: worker, receipt: message.receipt, waitedFor: new Set(others) });
    for (const other of others) sendToWorker(other, { kind: 'deliver', messages: message.messages, receipt });
    if (receipt !== undefined) acknowledge(worker, receipt);
  }

  return {
    add(worker) {
      workers.add(worker);
      worker.on('message', (message: ToPrimary) => receive(worker, message));
      worker.once('exit', () => {
        workers.delete(worker);
        for (const receipt of pending.keys()) acknowledge(worker, receipt);
      });
    },
  };
}
