import { mongo } from 'mongoose';
import { FAILOVER_CODES } from '../../lib/failover-codes.js';

/** An element of an update command's `writeErrors`. */
export interface RejectedUpdate {
  index: number;
  code: number;
  errmsg: string;
}

/**
 * Runs a command that the driver does not retry, and once more after a failover, whether MongoDB has done it or not: the
 * command must change nothing the second time.
 */
export async function onceMoreAfterFailover<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (!(error instanceof mongo.MongoNetworkError) && !FAILOVER_CODES.some((one) => one === code))
      throw error;
    return run();
  }
}
