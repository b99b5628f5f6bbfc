import { SIGN_IN_FRAGMENT } from '../../src/features/keys/sessions/sign-in-fragment.js';

const TOKEN = /^[\w-]+$/;

/** Whether the address is a link of the command line that signs in. */
export function isSignInLink(): boolean {
  return tokenInAddress() !== undefined;
}

/**
 * Returns the token of the link in the address, and removes it from the address bar and the history. Undefined if the
 * address is no such link.
 */
export function takeLinkToken(): string | undefined {
  const found = tokenInAddress();
  if (found !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return found;
}

function tokenInAddress(): string | undefined {
  const { hash } = location;
  const token = hash.startsWith(SIGN_IN_FRAGMENT) ? hash.slice(SIGN_IN_FRAGMENT.length) : '';
  return TOKEN.test(token) ? token : undefined;
}
