import type { Dns } from './dns.js';

/** Resolvers and certificate authorities stop at longer chains too. */
const MAX_HOPS = 8;

export interface CnameChain {
  /** The target of each CNAME record, in order; empty if the name has none. */
  targets: readonly string[];
  /** The name without a CNAME record, or `stopAt`; undefined for a loop or more than 8 hops. */
  end: string | undefined;
}

/**
 * Follows CNAME records one at a time. Asked for an address, a server that knows only the CNAME record returns no
 * address, and a chain that ends in NXDOMAIN looks as if its first name did not exist.
 *
 * @throws DnsUnavailable
 */
export async function followCnames(name: string, dns: Dns, stopAt?: string): Promise<CnameChain> {
  const targets: string[] = [];
  for (let at = name; at !== stopAt;) {
    const target = (await dns.cname(at)).records[0];
    if (target === undefined) return { targets, end: at };
    const again = target === name || targets.includes(target);
    targets.push(target);
    if (again || targets.length > MAX_HOPS) return { targets, end: undefined };
    at = target;
  }
  return { targets, end: stopAt };
}
