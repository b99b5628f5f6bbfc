import type { Answer, Dns } from './dns/dns.js';

/**
 * Names that are never in DNS, or that nobody can own: RFC 6761, 6762 (local), 7686 (onion), 9476 (alt), 3172 and 8375
 * (arpa).
 */
const NOT_IN_DNS: ReadonlySet<string> = new Set(['localhost', 'invalid', 'local', 'onion', 'alt', 'arpa']);
/** Names of private networks: reserved by ICANN (internal; corp, home, mail), or in use there (RFC 6762 appendix G). */
const OF_NETWORKS: ReadonlySet<string> = new Set([
  ...['internal', 'corp', 'home', 'mail', 'lan', 'intranet', 'private', 'localdomain'],
]);
/** For tests and documentation (RFC 6761). */
const FOR_TESTS: ReadonlySet<string> = new Set(['test', 'example']);

/** Whether the name's top-level domain can never contain a customer's domain, whatever the settings are. */
export function isNotInDns(name: string): boolean {
  return NOT_IN_DNS.has(topLevelOf(name));
}

/**
 * Whether a name belongs to a private network, such as the operator's own, whose records customers must not see. A
 * platform with such a name is private itself: its customers can use the same top-level name, and the top-level names
 * for tests.
 *
 * @param platformHost PLATFORM_HOST, or a name under it
 */
export function isPrivateName(name: string, platformHost: string): boolean {
  const [own, topLevel] = [topLevelOf(platformHost), topLevelOf(name)];
  if (topLevel === own) return false;
  return isReserved(topLevel) && !(FOR_TESTS.has(topLevel) && isReserved(own));
}

function isReserved(topLevel: string): boolean {
  return [NOT_IN_DNS, OF_NETWORKS, FOR_TESTS].some((names) => names.has(topLevel));
}

function topLevelOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

const NO_SUCH_NAME = { nameExists: false, records: [] } as const;

/**
 * DNS as the public sees it: names of private networks do not exist. So a customer's record cannot lead a check into
 * the operator's network.
 */
export function publicNamesOf(dns: Dns, platformHost: string): Dns {
  const publicOnly =
    <A extends Answer<unknown>>(ask: (name: string) => Promise<A>) =>
    (name: string): Promise<A | typeof NO_SUCH_NAME> =>
      isPrivateName(name, platformHost) ? Promise.resolve(NO_SUCH_NAME) : ask(name);
  return {
    cname: publicOnly((name) => dns.cname(name)),
    addresses4: publicOnly((name) => dns.addresses4(name)),
    addresses6: publicOnly((name) => dns.addresses6(name)),
    txt: publicOnly((name) => dns.txt(name)),
    caa: publicOnly((name) => dns.caa(name)),
  };
}
