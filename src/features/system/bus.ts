import type { RecordChange } from '../keys/record-change.js';

/** A message between the processes of one gateway. */
export type Message =
  | { about: 'record'; change: RecordChange }
  /** Requests of a client that the sender counted; negative for a refund. */
  | { about: SharedLimit; client: string; cost: number };

/** The limits that all processes of one gateway count together, in memory. */
export type SharedLimit = 'anonymous' | 'browserShares' | 'signIns' | 'dashboardRequests';

/** Connects this process to the other processes of the gateway, when WORKERS is above 1. */
export interface Bus {
  /** Resolves when every process has handled the message, or after 250 ms. */
  broadcast(message: Message): Promise<void>;
  /** Sends without waiting. */
  post(message: Message): void;
  /** The metrics of all processes; `own` returns those of this process. @throws Error when a process does not answer */
  gather(own: () => Promise<string>): Promise<string>;
  /** Calls `handle` with each later message of the other processes. */
  listen(handle: (message: Message) => void): void;
}

/** The bus of a gateway with one process. */
export const LOCAL_BUS: Bus = {
  broadcast: () => Promise.resolve(),
  post: () => undefined,
  gather: (own) => own(),
  listen: () => undefined,
};
