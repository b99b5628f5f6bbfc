import type { CaaRecord as NodeCaaRecord } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { TimeoutError, withTimeout } from '../../../../lib/with-timeout.js';

/** Looks up single record types. The gateway does not cache answers, so customers see a corrected record at once. */
export interface Dns {
  cname(name: string): Promise<Answer<string>>;
  addresses4(name: string): Promise<Answer<string>>;
  addresses6(name: string): Promise<Answer<string>>;
  /** A record's strings concatenated, as RFC 7208 section 3.3 reads them. */
  txt(name: string): Promise<Answer<string>>;
  caa(name: string): Promise<Answer<CaaRecord>>;
}

/**
 * The records of one name and type. Names are in lower case, without a trailing dot.
 * @throws DnsUnavailable
 */
export interface Answer<R> {
  /** False means NXDOMAIN. */
  nameExists: boolean;
  records: readonly R[];
}

/** RFC 8659 section 4.1. */
export interface CaaRecord {
  flags: number;
  /** In lower case. */
  tag: string;
  value: string;
}

/**
 * DNS gave no definite answer: SERVFAIL, REFUSED, a timeout or an unreachable server. Says nothing about the record.
 */
export class DnsUnavailable extends Error {
  constructor(
    readonly lookedUp: string,
    /** The DNS error code, such as SERVFAIL. */
    readonly reason: string,
    cause?: unknown,
  ) {
    super(`no answer about ${lookedUp}: ${reason}`, { cause });
    this.name = 'DnsUnavailable';
  }
}

export interface DnsSettings {
  /** `ip[:port]` each, tried in this order; if empty, the system's servers. */
  servers?: readonly string[];
  /** Timeout of one lookup, across all servers and tries. */
  timeoutMs?: number;
}

const TRIES = 2;

export function createDns({ servers = [], timeoutMs = 5000 }: DnsSettings = {}): Dns {
  /** Creates a resolver per lookup, because `cancel` cancels all lookups of a resolver. */
  async function lookUp<R>(name: string, ask: (resolver: Resolver) => Promise<R[]>): Promise<Answer<R>> {
    // Gives the first server a quarter of the time, so that a second server is asked as well.
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 4), tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      return { nameExists: true, records: await withTimeout(ask(resolver), timeoutMs) };
    } catch (error) {
      const code = error instanceof TimeoutError ? 'ETIMEOUT' : codeOf(error);
      if (code === 'ENODATA') return { nameExists: true, records: [] };
      // EBADNAME: a CNAME can lead to a name that is not valid in a query.
      if (code === 'ENOTFOUND' || code === 'EBADNAME') return { nameExists: false, records: [] };
      throw new DnsUnavailable(name, code.replace(/^E/, ''), error);
    } finally {
      resolver.cancel();
    }
  }

  return {
    cname: (name) => lookUp(name, async (resolver) => (await resolver.resolveCname(name)).map(canonical)),
    addresses4: (name) => lookUp(name, (resolver) => resolver.resolve4(name)),
    addresses6: (name) => lookUp(name, (resolver) => resolver.resolve6(name)),
    txt: (name) =>
      lookUp(name, async (resolver) => (await resolver.resolveTxt(name)).map((strings) => strings.join(''))),
    caa: (name) => lookUp(name, (resolver) => resolveCaa(resolver, name)),
  };
}

function canonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/**
 * c-ares cannot parse a CAA set that contains an empty value. The known case is `issue ""`, which permits no authority.
 */
async function resolveCaa(resolver: Resolver, name: string): Promise<CaaRecord[]> {
  try {
    return (await resolver.resolveCaa(name)).map(caaRecord);
  } catch (error) {
    if (codeOf(error) === 'EBADRESP') return [{ flags: 0, tag: 'issue', value: '' }];
    throw error;
  }
}

/** Node returns the tag as a property name, in the case it was published in. Node 26 adds `type: 'CAA'`. */
function caaRecord({ critical, ...property }: NodeCaaRecord): CaaRecord {
  const properties = Object.entries(property);
  const [tag = '', value = ''] = properties.find(([name]) => name !== 'type') ?? properties.flat();
  return { flags: critical, tag: tag.toLowerCase(), value };
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'EUNKNOWN';
}

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
