import type { Response } from 'express';
import { onHandedOver } from '../../http/steps/on-finished.js';
import { serviceUnavailable } from '../../lib/errors.js';
import { createTurns, takeTurn, type Turns } from '../../lib/turns.js';

/**
 * Runs a read that may take the database or the process long. The read gets a signal that ends it with its request.
 * @throws ApiError service_unavailable when its turn does not come in time; the signal's reason when the request has
 * ended
 */
export type HeavyRead = <T>(read: (signal: AbortSignal) => Promise<T>) => Promise<T>;

export interface HeavyReads {
  /**
   * @param project whose requests share a bound: the id of the caller's project, or of an admin key
   * @param signal aborted when the request has ended
   */
  of(project: string, signal: AbortSignal): HeavyRead;
}

/** A process's connections to MongoDB are many more, so charges and reads of pets never wait for these. */
const MOST_OF_PROCESS = 8;
const MOST_OF_PROJECT = 3;
/** As long as the execution of a request may take. */
const MAX_WAIT_MS = 5000;
const PROCESS = '';
const BUSY = 'Too many large reads are in progress. Retry, or request less at a time.';

/** Limits the heavy reads under way of each project and of this process. The others wait, in order. */
export function createHeavyReads(): HeavyReads {
  const projects = createTurns(MOST_OF_PROJECT, MAX_WAIT_MS);
  const process = createTurns(MOST_OF_PROCESS, MAX_WAIT_MS);
  return {
    of(project, signal) {
      return async (read) => {
        const endOfProject = await turnOf(projects, project, signal);
        try {
          const endOfProcess = await turnOf(process, PROCESS, signal);
          try {
            return await read(signal);
          } finally {
            endOfProcess();
          }
        } finally {
          endOfProject();
        }
      };
    },
  };
}

/**
 * A request that ends while it waits gets its turn and gives it up at once, without a read. @throws the signal's reason
 */
async function turnOf(turns: Turns, name: string, signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted();
  const end = await takeTurn(turns, name, BUSY);
  try {
    signal.throwIfAborted();
  } catch (error) {
    end();
    throw error;
  }
  return end;
}

/** Returns a signal that is aborted when the response is complete, or the client has disconnected. */
export function signalOf(res: Response): AbortSignal {
  const ending = new AbortController();
  onHandedOver(res.req, res, () =>
    ending.abort(serviceUnavailable('The request ended before its data was read.')),
  );
  return ending.signal;
}
