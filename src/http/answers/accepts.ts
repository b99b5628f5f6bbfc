import type { Request } from 'express';

/**
 * Longest Accept or Accept-Encoding header that is parsed, in characters. Browsers and programs send a few hundred;
 * parsing 16 KiB would take 30 ms of CPU time.
 */
const MAX_LENGTH = 1000;

/**
 * Returns the offered media type that the client prefers, or undefined if it accepts none of them. An Accept header
 * over MAX_LENGTH is ignored, as RFC 9110 section 12.5.1 allows: the result is then the first offer.
 */
export function preferredType(req: Request, offered: readonly string[]): string | undefined {
  if (!isRead(req.headers.accept)) return offered[0];
  const preferred = req.accepts([...offered]);
  return preferred === false ? undefined : preferred;
}

/** Whether the client accepts this content coding (RFC 9110 section 12.5.3). False if the header is over MAX_LENGTH. */
export function acceptsCoding(req: Request, coding: string): boolean {
  return isRead(req.headers['accept-encoding']) && req.acceptsEncodings(coding) !== false;
}

function isRead(header: string | undefined): boolean {
  return header === undefined || header.length <= MAX_LENGTH;
}
