import { INVITATION_FRAGMENT, SIGN_IN_FRAGMENT } from '../../src/features/keys/sessions/sign-in-fragment.js';

/** What a link has in its fragment, which browsers send to no server. */
export interface LinkInAddress {
  /** Of a link of the command line that signs in. */
  linkToken?: string;
  /** Of the link of an invitation. */
  invitation?: string;
}

/** Whether the address is a link that signs in, or invites. */
export function isLink(): boolean {
  return linkInAddress() !== undefined;
}

/**
 * Returns what the link in the address has, and removes it from the address bar and the history. Undefined if the
 * address is no such link.
 */
export function takeLink(): LinkInAddress | undefined {
  const found = linkInAddress();
  if (found !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return found;
}

function linkInAddress(): LinkInAddress | undefined {
  const linkToken = after(SIGN_IN_FRAGMENT);
  if (linkToken !== undefined) return { linkToken };
  const invitation = after(INVITATION_FRAGMENT);
  return invitation === undefined ? undefined : { invitation };
}

function after(fragment: string): string | undefined {
  const { hash } = location;
  const text = hash.startsWith(fragment) ? hash.slice(fragment.length) : '';
  return /^[\w.-]+$/.test(text) ? text : undefined;
}
