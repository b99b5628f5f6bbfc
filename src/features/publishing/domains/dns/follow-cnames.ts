import type { Dns } from './dns.js';

/** Longer chains are cut by resolvers and certificate authorities too. */
const MAX_HOPS = 8;

export interface CnameChain {
  /** Where each CNAME record leads, from the name on; empty when the name has none. */
  targets: readonly string[];
  /** The name without a CNAME record, or `stopAt`; undefined: a circle, or more than 8 steps. */
  end: string | undefined;
}

/**
 * Walked step by step: asked for an address, a server that knows only the CNAME record answers with no address at all,
 * and a chain that ends in NXDOMAIN looks as if its first name did not exist.
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
