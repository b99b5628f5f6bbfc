import type { Request } from 'express';
import { hostOfHeader } from '../../lib/host-name.js';

/** The host as the client names it. Empty for HTTP/1.0 without a Host header; undefined for an invalid header. */
export function hostOf(req: Request): string | undefined {
  return hostOfHeader(req.headers.host ?? '');
}
