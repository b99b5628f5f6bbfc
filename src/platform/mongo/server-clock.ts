import type { Connection } from 'mongoose';

/** Relates MongoDB's clock to this process's monotonic clock, which clock adjustments do not affect. */
export interface ServerClock {
  /**
   * Converts a time on MongoDB's clock to performance.now(). The result is early by the time that the request for the
   * clock took to reach MongoDB, and never late.
   */
  momentOf(serverTime: Date): number;
  readAtMs: number;
}

/** Does not use the system clock of this host, which may be wrong or may be adjusted. */
export async function readServerClock(connection: Connection): Promise<ServerClock> {
  const readAtMs = performance.now();
  const { localTime } = await connection.getClient().db('admin').command({ hello: 1 });
  const serverMs = (localTime as Date).getTime();
  return { readAtMs, momentOf: (serverTime) => readAtMs + (serverTime.getTime() - serverMs) };
}
