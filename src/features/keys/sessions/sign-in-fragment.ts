/** The fragment of a sign-in link. Browsers send it to no server, neither in a request nor in a Referer. */
export const SIGN_IN_FRAGMENT = '#sign-in=';
/** The fragment of the link of an invitation, see invitation.ts. */
export const INVITATION_FRAGMENT = '#invitation=';
