import type { CreateKeyResult } from './key-documents.js';

/** A new or rotated key, with the secret that is shown only once. */
export type IssuedKey = CreateKeyResult['createApiKey'];

/** Returns a curl command for a first request that works with this key. */
export function firstCall({ apiKey: { role, allowedOrigins }, secret }: IssuedKey): string {
  const authorization = `-H 'Authorization: Bearer ${secret}'`;
  if (role !== 'browser') return `curl -s '${location.origin}/v1/pets?limit=5' \\\n  ${authorization}`;
  const body = JSON.stringify({ query: '{ pets(limit: 5) { id name status } }' });
  return [
    `curl -s ${location.origin}/graphql \\`,
    `  ${authorization} \\`,
    `  -H 'Origin: ${allowedOrigins[0] ?? ''}' -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n');
}
