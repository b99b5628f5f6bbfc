export interface EncryptionKey {
  /** Stored in the clear beside all data that this key sealed. */
  id: string;
  /** 32 bytes. */
  secret: Buffer;
}

const KEY_BYTES = 32;
const ID = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * Parses a comma-separated list of `id:base64(32 bytes)`. The first key encrypts, all keys decrypt. Faults name an
 * entry only by its position, because any part of a mistyped entry may be the secret.
 * @returns no keys if there is a fault
 */
export function parseEncryptionKeys(text: string): { keys: EncryptionKey[]; faults: string[] } {
  const keys: EncryptionKey[] = [];
  const faults: string[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const [id = '', base64, ...rest] = entry.trim().split(':');
    const secret = Buffer.from(base64 ?? '', 'base64');
    const found: string[] = [];
    if (base64 === undefined || rest.length > 0) found.push('must be an id, a colon and the key in base64');
    else {
      if (!ID.test(id)) found.push('needs an id of 1 to 32 letters, digits, - or _');
      else if (keys.some((key) => key.id === id)) found.push('has the id of an earlier key');
      if (secret.length !== KEY_BYTES || secret.toString('base64') !== base64)
        found.push(`needs a key of ${KEY_BYTES} bytes in base64: openssl rand -base64 ${KEY_BYTES}`);
      else if (keys.some((key) => key.secret.equals(secret))) found.push('repeats an earlier key');
    }
    faults.push(...found.map((fault) => `entry ${index + 1} ${fault}`));
    keys.push({ id, secret });
  }
  return faults.length > 0 ? { keys: [], faults } : { keys, faults };
}
