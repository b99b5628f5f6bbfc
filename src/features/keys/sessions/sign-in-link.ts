import { MINUTE_MS } from '../../../lib/clock.js';

/** A link that signs in one browser once, with a key. Only the hash of its token is stored. */
export interface SignInLink {
  tokenHash: string;
  /** The hash of the key's secret, sealed with the token of the link: see session-token.ts. */
  sealedSecretHash: string;
  keyId: string;
  expiresAt: Date;
}

/** Long enough to paste the link into a browser on another machine. */
export const SIGN_IN_LINK_MS = 2 * MINUTE_MS;

/** Stores links for all gateways. Changes use majority writes. */
export interface SignInLinksStore {
  insert(link: SignInLink): Promise<void>;
  /** Removes and returns the link: of any number of calls at the same time, one gets it. Also finds expired links. */
  take(tokenHash: string): Promise<SignInLink | undefined>;
}
