import { until } from '../../support/until.js';
import type { Failover } from './failover.js';

export interface Traffic {
  /** Resolves once each kind of request was answered so many times more. */
  progress: (times: number) => Promise<void>;
  /** Stops. @returns what was created, by the names that were sent */
  end: () => Promise<Map<string, bigint>>;
  /** Answers that nobody should get. */
  failures: string[];
  answered: Readonly<Record<Kind, number>>;
  /** Units that were admitted of the quota that is counted. */
  spent: () => number;
}

type Kind = 'read' | 'query' | 'create' | 'counted';

export interface TrafficKeys {
  /** With quota to spare. */
  ample: string;
  /** Whose units are counted, until it is refused. */
  counted: string;
}

/**
 * Reads by both interfaces, creates with an Idempotency-Key, and requests that are counted, without a break.
 * @param counting for the requests that are counted
 */
export function startTraffic(
  failover: Failover,
  counting: Failover,
  { ample, counted }: TrafficKeys,
): Traffic {
  const failures: string[] = [];
  const answered: Record<Kind, number> = { read: 0, query: 0, create: 0, counted: 0 };
  const created = new Map<string, bigint>();
  let ended = false;
  let isSpent = false;
  let spent = 0;

  async function ask(kind: Kind, path: string, init: RequestInit, key = ample): Promise<string | undefined> {
    const headers = {
      ...(init.headers as object),
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    };
    const { send } = kind === 'counted' ? counting : failover;
    const answer = await send(path, { ...init, headers });
    const text = await answer.text();
    const isRefusal = kind === 'counted' && answer.status === 429;
    if (isRefusal) isSpent = true;
    else if (!answer.ok) failures.push(`${kind}: ${answer.status} ${text}`);
    answered[kind] += 1;
    return answer.ok ? text : undefined;
  }

  const graphQL = (query: string): RequestInit => ({ method: 'POST', body: JSON.stringify({ query }) });

  const loops: Record<Kind, (i: number) => Promise<void>> = {
    async read() {
      await ask('read', '/v1/pets?limit=5', {});
    },
    async query() {
      const text = await ask(
        'query',
        '/graphql',
        graphQL('{ petsConnection(first: 3) { edges { node { id name } } } }'),
      );
      if (text?.includes('"errors"') === true) failures.push(`query: ${text}`);
    },
    async create(i) {
      const name = `pet ${i} of the traffic`;
      const headers = { 'idempotency-key': name.replaceAll(' ', '-') };
      const text = await ask('create', '/v1/pets', {
        method: 'POST',
        headers,
        body: JSON.stringify({ name, categoryId: 1 }),
      });
      const id = /"id":\s*(\d+)/.exec(text ?? '')?.[1];
      if (id !== undefined) created.set(name, BigInt(id));
    },
    async counted() {
      if (!isSpent && (await ask('counted', '/v1/pets?limit=1', {}, counted)) !== undefined) spent += 1;
    },
  };

  let last = 0;
  const running = (Object.keys(loops) as Kind[]).flatMap((kind) =>
    Array.from({ length: 2 }, async () => {
      while (!ended) {
        // What is spent sends nothing: without a pause it would keep all others from their turn.
        if (kind === 'counted' && isSpent) return;
        await loops[kind](++last);
      }
    }),
  );

  return {
    failures,
    answered,
    spent: () => spent,
    async progress(times) {
      const goals = (Object.keys(answered) as Kind[]).map((kind): [Kind, number] => [
        kind,
        answered[kind] + times,
      ]);
      const isReached = ([kind, goal]: [Kind, number]) =>
        answered[kind] >= goal || (kind === 'counted' && isSpent);
      await until(`${times} more of each`, () => Promise.resolve(goals.every(isReached)));
    },
    async end() {
      ended = true;
      await Promise.all(running);
      return created;
    },
  };
}
