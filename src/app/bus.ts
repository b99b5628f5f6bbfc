import type { KeyChange } from '../features/keys/api-keys-store.js';

/** A message between the processes of one gateway. */
export type Message =
  | { about: 'key'; change: KeyChange }
  /** Requests of a client that the sender counted; negative for a refund. */
  | { about: SharedLimit; client: string; cost: number };

/** The limits that are kept in memory, by all processes of one gateway together. */
export type SharedLimit = 'anonymous' | 'browserShares' | 'signIns' | 'dashboardRequests';

/** The other processes of this gateway, where WORKERS is above 1. */
export interface Bus {
  /** Resolves when every process has handled the message, after a quarter of a second at the latest. */
  broadcast(message: Message): Promise<void>;
  /** Sends without waiting. */
  post(message: Message): void;
  /** The metrics of all of them and this one, of which `own` gives its part. @throws Error when one does not answer */
  gather(own: () => Promise<string>): Promise<string>;
  /** From now on, `handle` gets each message of the other processes. */
  listen(handle: (message: Message) => void): void;
}

/** A gateway of one process. */
export const LOCAL_BUS: Bus = {
  broadcast: () => Promise.resolve(),
  post: () => undefined,
  gather: (own) => own(),
  listen: () => undefined,
};
