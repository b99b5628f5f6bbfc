import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerTarget } from './ledger.js';

export interface Spending {
  /** Ends it; resolves to how many requests were answered with data. */
  stop: () => Promise<number>;
}

const SPENDERS = 4;
const PAUSE_MS = 100;

/** Spends a key's quota some 40 times a second, and goes on when refused. */
export function spendKey({ url, secret }: LedgerTarget): Spending {
  let stopped = false;
  let admitted = 0;
  const spend = async () => {
    while (!stopped) {
      const { status } = await fetch(`${url}/v1/pets?limit=1`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      if (status === 200) admitted += 1;
      await sleep(PAUSE_MS);
    }
  };
  const spenders = Promise.all(Array.from({ length: SPENDERS }, spend));
  return {
    async stop() {
      stopped = true;
      await spenders;
      return admitted;
    },
  };
}
