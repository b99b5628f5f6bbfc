import type { Request } from 'express';

/**
 * Of an Accept header that is read. What browsers and programs send has some hundred characters; 16 KiB would take 30 ms of
 * processor time.
 */
const MAX_LENGTH = 1000;

/**
 * Which of these media types the client prefers; undefined when it accepts none. A longer header than anybody needs is
 * disregarded, as RFC 9110 section 12.5.1 allows: the first of them.
 */
export function preferredType(req: Request, offered: readonly string[]): string | undefined {
  if (!isRead(req.headers.accept)) return offered[0];
  const preferred = req.accepts([...offered]);
  return preferred === false ? undefined : preferred;
}

/** Whether the client takes this content coding (RFC 9110 section 12.5.3); not where its header is longer than anybody needs. */
export function acceptsCoding(req: Request, coding: string): boolean {
  return isRead(req.headers['accept-encoding']) && req.acceptsEncodings(coding) !== false;
}

function isRead(header: string | undefined): boolean {
  return header === undefined || header.length <= MAX_LENGTH;
}
