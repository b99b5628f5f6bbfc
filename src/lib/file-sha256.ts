import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Of a file's content, in hex; read in parts. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
