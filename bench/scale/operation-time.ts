import type { Connection } from 'mongoose';
import type { Operation } from './operations.js';

/** How often and how long MongoDB was at work on a collection since it began, by its own count. */
export interface OperationTime {
  operations: number;
  /** Microseconds, without what clients wait for afterwards: the journal, a majority. */
  us: number;
}

export async function operationTime(
  connection: Connection,
  { collection, access }: Pick<Operation, 'collection' | 'access'>,
): Promise<OperationTime> {
  const [stats] = await connection
    .getClient()
    .db(connection.name)
    .collection(collection)
    .aggregate<{ latencyStats: Record<typeof access, { ops: unknown; latency: unknown }> }>([
      { $collStats: { latencyStats: {} } },
    ])
    .toArray();
  if (stats === undefined) throw new Error(`MongoDB tells nothing of ${collection}`);
  const { ops, latency } = stats.latencyStats[access];
  return { operations: Number(ops), us: Number(latency) };
}
