import type { KeyChange } from '../features/keys/api-keys-store.js';

/** What the processes of one gateway tell each other. */
export type News =
  | { about: 'key'; change: KeyChange }
  /** A client's requests that the teller counted; negative when it took them back. */
  | { about: SharedLimit; client: string; cost: number };

/** The limits that are kept in memory, by all processes of one gateway together. */
export type SharedLimit = 'anonymous' | 'browserShares' | 'signIns' | 'dashboardRequests';

/** The other processes of this gateway, where WORKERS is above 1. */
export interface Peers {
  /** Resolves once all of them have acted on it, or have not done so for a quarter of a second. */
  tell(news: News): Promise<void>;
  /** As `tell`, for what nobody waits for. */
  mention(news: News): void;
  /** The metrics of all of them and this one, of which `own` gives its part. @throws Error when one does not answer */
  gather(own: () => Promise<string>): Promise<string>;
  /** What is told from now on goes to `act`. */
  listen(act: (news: News) => void): void;
}

/** A gateway of one process. */
export const NO_PEERS: Peers = {
  tell: () => Promise.resolve(),
  mention: () => undefined,
  gather: (own) => own(),
  listen: () => undefined,
};
