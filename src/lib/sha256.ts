import { createHash } from 'node:crypto';

/** Of a text as UTF-8, in lower-case hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
