/** The page that explains every error code, as the gateway serves it. */
export const ERRORS_PAGE = '/docs/errors';

/** Returns the URL of the explanation of an error code: absolute if the gateway's address is known. */
export function docUrlOf(code: string, gatewayUrl: string | undefined): string {
  return `${gatewayUrl ?? ''}${ERRORS_PAGE}#${code}`;
}
