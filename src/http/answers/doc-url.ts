/** The page that explains every error code, as the gateway serves it. */
export const ERRORS_PAGE = '/docs/errors';

/** Returns the URL of the explanation of an error code: absolute if `publicUrl`, PUBLIC_URL, is known. */
export function docUrlOf(code: string, publicUrl: string | undefined): string {
  return `${publicUrl ?? ''}${ERRORS_PAGE}#${code}`;
}
