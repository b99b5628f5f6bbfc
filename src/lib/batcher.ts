import type { Clock } from './clock.js';
import { currentTrace, inTraceOf, type Traced } from './trace-context.js';

/** After this time a call counts as stuck, and new requests no longer wait for it. */
const OVERDUE_MS = 1000;

interface Entry<Request, Answer> extends Traced {
  request: Request;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

export interface Batches<Request, Answer> {
  /** Sends one call for all requests. Returns their results in the same order; an error rejects every request. */
  send: (requests: readonly Request[]) => Promise<readonly Answer[]>;
  /** `sizeOf` is the size that a request adds to a call. `maxSize` limits a call, unless a single request is larger. */
  sizeOf: (request: Request) => number;
  maxSize: number;
  /**
   * Whether a call begins only at the end of the tick. Then requests that go on together, because they waited for the
   * same charge, share one call.
   */
  gathersTick?: boolean;
}

/**
 * Requests that arrive during a call wait, and share the next call. When no call is under way, a request is sent at
 * once, within the same tick, without a timer. A request never joins a call that was already sent, so the result of a
 * call is never older than the requests that it answers.
 *
 * The driver ends a call, at the latest after socketTimeoutMS (src/platform/mongo/connection.ts). Before that, an
 * overdue call does not delay other requests: all that wait are sent.
 */
export function createBatcher<Request, Answer>(
  { send, sizeOf, maxSize, gathersTick = false }: Batches<Request, Answer>,
  clock: Clock,
): (request: Request) => Promise<Answer> {
  let gathered: Entry<Request, Answer>[] = [];
  let underWay = 0;
  let isDue = false;
  let lastSentAtMs = 0;
  let overdue: NodeJS.Timeout | undefined;

  function begin(): void {
    if (!gathersTick) sendAll();
    else if (!isDue) process.nextTick(sendAll);
    isDue = gathersTick;
  }

  function sendAll(): void {
    isDue = false;
    clearTimeout(overdue);
    overdue = undefined;
    const entries = gathered;
    gathered = [];
    for (const batch of batchesOf(entries)) void inTraceOf(batch, sendBatch, undefined);
  }

  async function sendBatch(entries: readonly Entry<Request, Answer>[]): Promise<void> {
    underWay += 1;
    lastSentAtMs = clock();
    try {
      const answers = await send(entries.map(({ request }) => request));
      for (const [i, { resolve }] of entries.entries()) resolve(answers[i] as Answer);
    } catch (error) {
      for (const { reject } of entries) reject(error);
    }
    underWay -= 1;
    sendAll();
  }

  function batchesOf(entries: readonly Entry<Request, Answer>[]): Entry<Request, Answer>[][] {
    const batches: Entry<Request, Answer>[][] = [];
    let free = 0;
    for (const entry of entries) {
      const size = sizeOf(entry.request);
      const batch = batches.at(-1);
      if (batch !== undefined && size <= free) batch.push(entry);
      else {
        batches.push([entry]);
        free = maxSize;
      }
      free -= size;
    }
    return batches;
  }

  return (request) =>
    new Promise((resolve, reject) => {
      gathered.push({ request, resolve, reject, trace: currentTrace() });
      const waitedMs = clock() - lastSentAtMs;
      if (underWay === 0 || waitedMs >= OVERDUE_MS) begin();
      else overdue ??= setTimeout(sendAll, Math.min(OVERDUE_MS, OVERDUE_MS - waitedMs)).unref();
    });
}
