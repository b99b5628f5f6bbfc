import type { Connection } from 'mongoose';

/** MongoDB's clock beside the monotonic one of this process, which nobody sets. */
export interface ServerClock {
  /**
   * When it was this time by MongoDB's clock, on performance.now(). Too early by what our question took on its way,
   * never too late.
   */
  momentOf(serverTime: Date): number;
  readAtMs: number;
}

/** Our own system clock has no part in it: it may be wrong, or be set. */
export async function readServerClock(connection: Connection): Promise<ServerClock> {
  const readAtMs = performance.now();
  const { localTime } = await connection.getClient().db('admin').command({ hello: 1 });
  const serverMs = (localTime as Date).getTime();
  return { readAtMs, momentOf: (serverTime) => readAtMs + (serverTime.getTime() - serverMs) };
}
