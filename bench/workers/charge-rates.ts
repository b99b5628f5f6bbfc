import { createMongoQuotaStore } from '../../src/features/limiter/mongo-quota-store.js';
import type { Meter } from '../../src/features/plans/window.js';
import { prepared } from '../../test/support/prepared.js';
import { usageOf } from '../process-usage.js';
import { connect, type BenchDatabase } from '../targets/database.js';

export interface ChargeRates {
  /** As many quota stores at once as a gateway has workers. */
  processes: number;
  /** Charges per second, all of the same key, and each store of another key. */
  sameKey: number;
  otherKeys: number;
  /** Processor time of MongoDB for a charge of the same key, microseconds. */
  mongodUs: number;
}

const SECONDS = 2;

/**
 * Charges as workers do: each store has one charge of a key in progress, and sends the next one when it is durable. The
 * stores share this process, which takes less of the processors than MongoDB does.
 */
export async function measureCharges(
  database: BenchDatabase,
  counts: readonly number[],
  signal: AbortSignal,
): Promise<ChargeRates[]> {
  const connection = await connect(database.uriOf('charges'));
  try {
    await prepared(connection);
    const rates: ChargeRates[] = [];
    const run = async (meters: readonly Meter[]) => {
      let charges = 0;
      const beganMs = performance.now();
      const secondsSince = () => (performance.now() - beganMs) / 1000;
      await Promise.all(
        meters.map(async (meter) => {
          const store = createMongoQuotaStore(connection);
          while (secondsSince() < SECONDS) {
            signal.throwIfAborted();
            await store.decide(meter, [1]);
            charges += 1;
          }
        }),
      );
      // To the end of the last charge.
      return { charges, perSecond: charges / secondsSince() };
    };
    for (const processes of counts) {
      const before = usageOf(database.pid).cpuUs;
      const same = await run(Array.from({ length: processes }, () => meterOf(`same-${processes}`)));
      const mongodUs = (usageOf(database.pid).cpuUs - before) / same.charges;
      const others = await run(
        Array.from({ length: processes }, (_, i) => meterOf(`other-${processes}-${i}`)),
      );
      rates.push({ processes, sameKey: same.perSecond, otherKeys: others.perSecond, mongodUs });
    }
    return rates;
  } finally {
    await connection.close();
  }
}

const LIMIT = 10_000_000;

const meterOf = (id: string): Meter => ({
  id,
  windows: (['minute', 'day'] as const).map((name) => ({ name, limit: LIMIT, epoch: 0 })),
});
