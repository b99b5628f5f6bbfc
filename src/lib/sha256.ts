import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The SHA-256 of bytes, or of a text in UTF-8. */
export function sha256(content: string | Buffer, encoding: 'hex' | 'base64url' = 'hex'): string {
  return createHash('sha256').update(content).digest(encoding);
}

/** The SHA-256 of a file's content, in hex. Reads the file in chunks. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
