import { randomBase62 } from '../../lib/random-id.js';
import type { ProjectsStore } from './projects-store.js';

const MAX_SLUG_LENGTH = 40;
/** The length of a random suffix, including its hyphen. */
const SUFFIX_LENGTH = 6;
/** Used for a name without ASCII letters or digits. */
const NAMELESS = 'store';

/** Names with a special meaning for people, mail or browsers (RFC 2142 among others), or that look official. */
// prettier-ignore
const RESERVED: ReadonlySet<string> = new Set([
  ...['www', 'web', 'api', 'app', 'admin', 'administrator', 'dashboard', 'console', 'docs', 'graphql', 'health'],
  ...['metrics', 'status', 'static', 'assets', 'cdn', 'media', 'login', 'signin', 'signup', 'auth', 'oauth', 'sso'],
  ...['account', 'accounts', 'id', 'support', 'help', 'billing', 'pay', 'payment', 'payments', 'blog', 'news'],
  ...['mail', 'email', 'smtp', 'imap', 'pop', 'pop3', 'webmail', 'mx', 'mta', 'autoconfig', 'autodiscover'],
  ...['ns', 'ns1', 'ns2', 'ns3', 'ns4', 'dns', 'ftp', 'sftp', 'ssh', 'vpn', 'proxy', 'wpad', 'isatap', 'localhost'],
  ...['abuse', 'security', 'postmaster', 'hostmaster', 'webmaster', 'root', 'info', 'noc', 'sales', 'marketing'],
  ...['test', 'staging', 'dev', 'demo', 'internal', 'local', 'domains', 'platform', 'official', NAMELESS],
]);

/**
 * Generates the labels for a project of this name, best first, without an end: its name, then its name with random
 * suffixes. Each is a DNS label (RFC 1035 section 2.3.1) without two consecutive hyphens, so that it cannot be mistaken
 * for punycode (RFC 5891 section 4.2.3.1).
 */
export function* slugsFor(name: string, random: (length: number) => string): Generator<string, never> {
  const base = labelOf(name, MAX_SLUG_LENGTH) || NAMELESS;
  if (!RESERVED.has(base)) yield base;
  const short = labelOf(base, MAX_SLUG_LENGTH - SUFFIX_LENGTH);
  for (;;) yield `${short}-${random(SUFFIX_LENGTH - 1)}`;
}

function labelOf(name: string, maxLength: number): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxLength)
    .replace(/-$/, '');
}

/** Claims the first slug for this name that was never assigned before. The project keeps it permanently. */
export async function claimSlug(
  claim: ProjectsStore['claimSlug'],
  { id, name }: { id: string; name: string },
  at: Date,
): Promise<string> {
  for (const slug of slugsFor(name, (length) => randomBase62(length).toLowerCase()))
    if (await claim(slug, id, at)) return slug;
  throw new Error('there is no end to slugs');
}
