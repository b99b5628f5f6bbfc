import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';

export interface LedgerTarget {
  url: string;
  /** A server key whose quota the load does not use up. */
  secret: string;
}

export interface Ledger {
  /** So many creates have been acknowledged with a 201. */
  acknowledged(): number;
  /** Milliseconds from then (`performance.now()`) to the next acknowledged create; undefined: none yet. */
  nextAcknowledgedAfterMs(sinceMs: number): number | undefined;
  /** What was answered so far, counted, and how long the slowest answer took. */
  seen(): { outcomes: Record<string, number>; longestMs: number };
  /** What the machine adds to an answer: the slowest of /health/live so far, which waits for no store. */
  machineMs(): number;
  /** Begins no new pet and retries each one under way until it is acknowledged. @throws Error when one never is */
  settle(): Promise<void>;
  /**
   * To be called once settled. Every acknowledged pet is in the database exactly once, under the acknowledged id; no
   * retry made a second one; only answers were seen that a client can act on, each within the bound and `machineMs`.
   * Prints what was measured, for docs/reliability.md.
   */
  expectKept(fault: string, database: Connection, boundMs: number): Promise<void>;
}

interface Acknowledged {
  id: string;
  name: string;
  atMs: number;
}

interface Answer {
  status: number | undefined;
  body: { id?: number; code?: string };
  /** How long a client is asked to wait before it comes again. */
  retryAfterMs: number;
}

/** What a client can act on: it has its answer, or knows when to come again with the same Idempotency-Key. */
const ALLOWED = new Set([
  '200',
  '201',
  '503 service_unavailable',
  '429 rate_limit_exceeded',
  '409 idempotency_in_progress',
]);
const WRITERS = 8;
const READERS = 2;
/** Between two requests of one writer or reader: some hundreds a second in all leave the machine room for the fault. */
const PAUSE_MS = 20;
/** Between two looks at what the machine adds. */
const LOOK_PAUSE_MS = 100;
/** An answer that has not come by then is taken for a hang. */
const GIVE_UP_MS = 60_000;
const SETTLE_MS = 180_000;

/**
 * Clients that create pets and list them through a fault, as well-behaved clients do: each create has an
 * Idempotency-Key, and is sent again with the same key and body after the Retry-After that it got.
 */
export function openLedger({ url, secret }: LedgerTarget): Ledger {
  const run = randomUUID();
  const acknowledged: Acknowledged[] = [];
  const outcomes: Record<string, number> = {};
  const ending = new AbortController();
  let longestMs = 0;
  let machineMs = 0;
  let begun = 0;

  async function ask(init: RequestInit, path: string): Promise<Answer> {
    const startedMs = performance.now();
    const answer = await fetch(url + path, {
      ...init,
      headers: { authorization: `Bearer ${secret}`, ...(init.headers as Record<string, string>) },
      signal: AbortSignal.timeout(GIVE_UP_MS),
    })
      .then(readAnswer)
      .catch((error: unknown): [string, Answer] => [
        `no answer (${String(error)})`,
        { status: undefined, body: {}, retryAfterMs: 1000 },
      ]);
    longestMs = Math.max(longestMs, performance.now() - startedMs);
    const [outcome, read] = answer;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    return read;
  }

  async function create(name: string, giveUp: () => boolean): Promise<void> {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify({ name, categoryId: 1 }),
    };
    while (!giveUp()) {
      const { status, body, retryAfterMs } = await ask(init, '/v1/pets');
      if (status === 201) {
        acknowledged.push({ id: String(body.id), name, atMs: performance.now() });
        return;
      }
      await sleep(retryAfterMs);
    }
    throw new Error(`${name} was not acknowledged within ${SETTLE_MS / 1000} s after the fault`);
  }

  let settleByMs = Infinity;
  async function write(): Promise<void> {
    while (!ending.signal.aborted) {
      begun += 1;
      await create(`${run} ${begun}`, () => performance.now() > settleByMs);
      await sleep(PAUSE_MS);
    }
  }

  async function read(): Promise<void> {
    while (!ending.signal.aborted) {
      const { status, retryAfterMs } = await ask({}, '/v1/pets?limit=5');
      await sleep(status === 200 ? PAUSE_MS : retryAfterMs);
    }
  }

  async function look(): Promise<void> {
    while (!ending.signal.aborted) {
      const startedMs = performance.now();
      await (await fetch(`${url}/health/live`)).arrayBuffer();
      machineMs = Math.max(machineMs, performance.now() - startedMs);
      await sleep(LOOK_PAUSE_MS);
    }
  }

  const clients = Promise.allSettled([
    look(),
    ...Array.from({ length: WRITERS }, write),
    ...Array.from({ length: READERS }, read),
  ]);

  return {
    acknowledged: () => acknowledged.length,
    nextAcknowledgedAfterMs(sinceMs) {
      const next = acknowledged.find(({ atMs }) => atMs >= sinceMs);
      return next && next.atMs - sinceMs;
    },
    machineMs: () => machineMs,
    seen: () => ({ outcomes: { ...outcomes }, longestMs }),
    async settle() {
      settleByMs = performance.now() + SETTLE_MS;
      ending.abort();
      const failed = (await clients).find(({ status }) => status === 'rejected');
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    },
    async expectKept(fault, database, boundMs) {
      const longest = Math.round(longestMs);
      process.stderr.write(
        `${fault}: ${acknowledged.length} pets acknowledged, longest answer ${longest} ms, ${JSON.stringify(outcomes)}\n`,
      );
      const pets = await database
        .collection<{ _id: bigint; name: string }>('pets')
        .find({ name: { $regex: `^${run} ` } })
        .toArray();
      const inDatabase = pets.map(({ _id, name }) => `${String(_id)} ${name}`).sort();
      // All were retried until they were acknowledged, so nothing else may be there.
      expect(inDatabase).toEqual(acknowledged.map(({ id, name }) => `${id} ${name}`).sort());
      expect(Object.keys(outcomes).filter((outcome) => !ALLOWED.has(outcome))).toEqual([]);
      expect(longest).toBeLessThanOrEqual(boundMs + machineMs);
    },
  };
}

async function readAnswer(response: Response): Promise<[string, Answer]> {
  const { status, headers } = response;
  const body = (await response.json()) as Answer['body'];
  const retryAfter = headers.get('retry-after') ?? '';
  const words = [String(status), ...(status < 400 ? [] : [body.code ?? 'without code'])];
  const tellsWhen = /^[1-9][0-9]*$/.test(retryAfter);
  if (status >= 400 && !tellsWhen) words.push('without Retry-After');
  return [words.join(' '), { status, body, retryAfterMs: tellsWhen ? Number(retryAfter) * 1000 : 1000 }];
}
