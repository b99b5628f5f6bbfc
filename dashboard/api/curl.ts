import type { Document } from './document.js';

/** Returns the same operation as a curl command, with the key in an environment variable. */
export function curlOf<Result, Variables extends object>(
  { text }: Document<Result, Variables>,
  variables: Variables,
): string {
  const body = JSON.stringify({ query: text, variables });
  return [
    `curl -s ${location.origin}/graphql \\`,
    '  -H "Authorization: Bearer $API_KEY" -H \'Content-Type: application/json\' \\',
    `  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join('\n');
}
