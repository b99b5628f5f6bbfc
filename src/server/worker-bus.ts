import type { Message, Bus } from '../features/system/bus.js';
import type { ToPrimary, ToWorker } from './messages.js';

const PATIENCE_MS = 250;
/** Longer than the primary process waits for the workers, milliseconds. */
const GATHER_MS = 7000;

/** Connects a worker to the other workers, through the primary process. */
export function createWorkerBus(send: (message: ToPrimary) => void): {
  bus: Bus;
  receive: (message: ToWorker) => void;
} {
  const waiting = new Map<string, () => void>();
  const gathering = new Map<string, (text: string | undefined) => void>();
  let lastReceipt = 0;
  let handle: (message: Message) => void = () => undefined;
  let posted: Message[] = [];

  function sendPosted(): void {
    const messages = posted;
    posted = [];
    send({ kind: 'broadcast', messages, receipt: undefined });
  }

  return {
    bus: {
      broadcast: (message) =>
        new Promise((resolve) => {
          const receipt = String(++lastReceipt);
          const done = () => {
            clearTimeout(patience);
            waiting.delete(receipt);
            resolve();
          };
          const patience = setTimeout(done, PATIENCE_MS);
          waiting.set(receipt, done);
          send({ kind: 'broadcast', messages: [message], receipt });
        }),
      // Sends the messages of one turn of the event loop together.
      post(message) {
        if (posted.push(message) === 1) setImmediate(sendPosted);
      },
      gather: () =>
        new Promise((resolve, reject) => {
          const receipt = String(++lastReceipt);
          const done = (text: string | undefined) => {
            clearTimeout(patience);
            gathering.delete(receipt);
            if (text === undefined) reject(new Error('a worker did not report its metrics'));
            else resolve(text);
          };
          const patience = setTimeout(done, GATHER_MS, undefined);
          gathering.set(receipt, done);
          send({ kind: 'gather', receipt });
        }),
      listen(listener) {
        handle = listener;
      },
    },
    receive(message) {
      if (message.kind === 'delivered') waiting.get(message.receipt)?.();
      if (message.kind === 'gathered') gathering.get(message.receipt)?.(message.text);
      if (message.kind !== 'deliver') return;
      for (const each of message.messages) handle(each);
      if (message.receipt !== undefined) send({ kind: 'delivered', receipt: message.receipt });
    },
  };
}
