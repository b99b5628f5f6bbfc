const FRAGMENT = /^#sign-in=([\w-]+)$/;

/** Whether the address is a link of the command line that signs in. */
export function isSignInLink(): boolean {
  return FRAGMENT.test(location.hash);
}

/**
 * Returns the token of the link in the address, and removes it from the address bar and the history. Undefined if the
 * address is no such link.
 */
export function takeLinkToken(): string | undefined {
  const token = FRAGMENT.exec(location.hash)?.[1];
  if (isSignInLink()) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}
