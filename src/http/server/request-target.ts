/** A path and a query that need no change: visible ASCII without `#`. */
const IS_ORIGIN_FORM = /^\/[!"$-~]*$/;

/**
 * Returns a request target in origin form, as every later step reads it: path and query, beginning with `/`.
 *
 * The absolute form must be accepted (RFC 9112 section 3.2.2) and means the same. Characters that a URI cannot hold,
 * and the `#` that a target must not have, are percent-encoded. Otherwise Express would pass them to Node's legacy URL
 * parser, which drops a fragment from the path, or fails.
 */
export function originFormOf(target: string): string {
  if (IS_ORIGIN_FORM.test(target)) return target;
  const withoutAuthority = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const path = /^[/*]/.test(withoutAuthority) ? withoutAuthority : `/${withoutAuthority}`;
  return path.replace(/[^\x21-\x7e]|#/g, encodeByte);
}

/**
 * Returns the host and port of a target in absolute form, or undefined for the other forms. They take precedence over
 * the Host header (RFC 9112 section 3.2.2).
 */
export function authorityOf(target: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
}

/** Node decodes the target as latin1, so each character is one byte. */
function encodeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
