import type { News, Peers } from '../app/peers.js';
import type { ToPrimary, ToWorker } from './messages.js';

const PATIENCE_MS = 250;
/** Longer than the first process waits for the workers. */
const GATHER_MS = 7000;

/** The other workers, as a worker reaches them: through the first process. */
export function createWorkerPeers(send: (message: ToPrimary) => void): {
  peers: Peers;
  receive: (message: ToWorker) => void;
} {
  const waiting = new Map<string, () => void>();
  const gathering = new Map<string, (text: string | undefined) => void>();
  let lastReceipt = 0;
  let act: (news: News) => void = () => undefined;
  let mentioned: News[] = [];

  function sendMentioned(): void {
    const news = mentioned;
    mentioned = [];
    send({ kind: 'tell', news, receipt: undefined });
  }

  return {
    peers: {
      tell: (news) =>
        new Promise((resolve) => {
          const receipt = String(++lastReceipt);
          const done = () => {
            clearTimeout(patience);
            waiting.delete(receipt);
            resolve();
          };
          const patience = setTimeout(done, PATIENCE_MS);
          waiting.set(receipt, done);
          send({ kind: 'tell', news: [news], receipt });
        }),
      // What one turn of the event loop mentions goes as one message.
      mention(news) {
        if (mentioned.push(news) === 1) setImmediate(sendMentioned);
      },
      gather: () =>
        new Promise((resolve, reject) => {
          const receipt = String(++lastReceipt);
          const done = (text: string | undefined) => {
            clearTimeout(patience);
            gathering.delete(receipt);
            if (text === undefined) reject(new Error('a worker did not tell its metrics'));
            else resolve(text);
          };
          const patience = setTimeout(done, GATHER_MS, undefined);
          gathering.set(receipt, done);
          send({ kind: 'gather', receipt });
        }),
      listen(listener) {
        act = listener;
      },
    },
    receive(message) {
      if (message.kind === 'acted') waiting.get(message.receipt)?.();
      if (message.kind === 'gathered') gathering.get(message.receipt)?.(message.text);
      if (message.kind !== 'told') return;
      for (const news of message.news) act(news);
      if (message.receipt !== undefined) send({ kind: 'acted', receipt: message.receipt });
    },
  };
}
