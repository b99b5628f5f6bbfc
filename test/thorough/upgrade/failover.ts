/** What a proxy in front of two gateways met, and answered from the other one. */
export interface Failovers {
  /** Nobody listened. */
  refused: number;
  /** 503 with Retry-After: it starts. */
  unavailable: number;
  /** The connection ended before there was an answer: it stopped. */
  cut: number;
}

export interface Failover {
  send: (path: string, init: RequestInit) => Promise<Response>;
  seen: Readonly<Failovers>;
}

/**
 * Sends in turns to each of these, as a proxy does: what one does not answer goes to the next. Only for what may be
 * sent again: reads, and creates with an Idempotency-Key. When nobody answers, that is the answer.
 */
export function createFailover(urls: readonly string[]): Failover {
  const seen: Failovers = { refused: 0, unavailable: 0, cut: 0 };
  let turn = 0;

  return {
    seen,
    async send(path, init) {
      const first = turn++;
      let last: Response | undefined;
      for (let i = 0; i < urls.length; i++) {
        const url = urls[(first + i) % urls.length] ?? '';
        try {
          const answer = await fetch(url + path, init);
          if (answer.status !== 503 || !answer.headers.has('retry-after')) return answer;
          seen.unavailable += 1;
          last = answer;
        } catch (error) {
          seen[isRefused(error) ? 'refused' : 'cut'] += 1;
        }
      }
      return last ?? new Response('nobody answers', { status: 502 });
    },
  };
}

function isRefused(error: unknown): boolean {
  return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
}
