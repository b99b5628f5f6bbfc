import type { Request } from 'express';
import { hostOfHeader } from '../../lib/host-name.js';

/** As the client names it. Empty for HTTP/1.0 without one; undefined for what is no valid header. */
export function hostOf(req: Request): string | undefined {
  return hostOfHeader(req.headers.host ?? '');
}
