/** The ACME directories of Let's Encrypt, by the names that ACME_DIRECTORY_URL accepts for them. */
export const LETS_ENCRYPT: Readonly<Record<string, string>> = {
  letsencrypt: 'https://acme-v02.api.letsencrypt.org/directory',
  'letsencrypt-staging': 'https://acme-staging-v02.api.letsencrypt.org/directory',
};

/** Whether the certificates of this directory are for tests: no browser trusts them. */
export function isStagingDirectory(url: string): boolean {
  return url === LETS_ENCRYPT['letsencrypt-staging'];
}
