import { randomBytes } from 'node:crypto';

export const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random characters of base 62 from the system's secure source, 5.95 bits each. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length)
    // Skips bytes from 248 on, which would favor the first eight characters.
    for (const byte of randomBytes(length)) if (byte < 248) text += BASE_62.charAt(byte % 62);
  return text.slice(0, length);
}
