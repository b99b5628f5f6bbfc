import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The SHA-256 of bytes, or of a text in UTF-8. */
export function sha256(content: string | Buffer, encoding: 'hex' | 'base64url' = 'hex'): string {
  return hash('sha256', content, encoding);
}

/** The SHA-256 of a file's content, in hex. Reads the file in chunks. */
export async function fileSha256(path: string): Promise<string> {
  const whole = createHash('sha256');
  for await (const chunk of createReadStream(path)) whole.update(chunk as Buffer);
  return whole.digest('hex');
}
