/**
 * A request target as every later step reads it: path and query, beginning with `/`.
 *
 * The absolute form must be accepted (RFC 9112 section 3.2.2) and means the same. What a URI cannot hold, and the
 * `#` that a target must not have, are percent-encoded: Express would send them through Node's legacy URL parser,
 * which reads a fragment as no part of the path, or fails.
 */
export function originFormOf(target: string): string {
  const withoutAuthority = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const path = /^[/*]/.test(withoutAuthority) ? withoutAuthority : `/${withoutAuthority}`;
  return path.replace(/[^\x21-\x7e]|#/g, encodeByte);
}

/**
 * The host and port of a target in absolute form; undefined in the other forms. It counts more than the Host header
 * (RFC 9112 section 3.2.2).
 */
export function authorityOf(target: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
}

/** Node gives the target as latin1: one character for each byte. */
function encodeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
