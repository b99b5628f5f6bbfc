import type { Connection } from 'mongoose';

/** Relates MongoDB's clock to this process's monotonic clock, which clock adjustments do not affect. */
export interface ServerClock {
  /** Converts a time on MongoDB's clock to performance.now(). May be too early by a round trip, never too late. */
  momentOf(serverTime: Date): number;
  /** Converts performance.now() to a time on MongoDB's clock. May be too early by a round trip, never too late. */
  timeOf(momentMs: number): Date;
}

/** How long a reading of MongoDB's clock is used before the clock is read again, milliseconds. */
const CLOCK_READ_MS = 10_000;

/** Returns a function that resolves with the server's clock. It does not use the system clock of this host. */
export function createServerClock(connection: Connection): () => Promise<ServerClock> {
  let read: { clock: ServerClock; atMs: number } | undefined;
  return async () => {
    if (read === undefined || performance.now() - read.atMs > CLOCK_READ_MS)
      read = { clock: await readServerClock(connection), atMs: performance.now() };
    return read.clock;
  };
}

async function readServerClock(connection: Connection): Promise<ServerClock> {
  const askedAtMs = performance.now();
  const { localTime } = await connection.getClient().db('admin').command({ hello: 1 });
  const answeredAtMs = performance.now();
  const serverMs = (localTime as Date).getTime();
  return {
    momentOf: (serverTime) => askedAtMs + (serverTime.getTime() - serverMs),
    timeOf: (momentMs) => new Date(serverMs + (momentMs - answeredAtMs)),
  };
}
