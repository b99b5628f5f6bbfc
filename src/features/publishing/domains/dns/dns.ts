import { Resolver } from 'node:dns/promises';
import { TimeoutError, withTimeout } from '../../../../lib/with-timeout.js';
import { askServers, ServerFailure } from './ask-servers.js';
import { MalformedResponse, RCODE, TYPE, type CaaRecord, type Response } from './message.js';

/** Looks up single record types. The gateway does not cache answers, so customers see a corrected record at once. */
export interface Dns {
  cname(name: string): Promise<Answer<string>>;
  addresses4(name: string): Promise<Answer<string>>;
  addresses6(name: string): Promise<Answer<string>>;
  /** A record's strings concatenated, as RFC 7208 section 3.3 reads them. */
  txt(name: string): Promise<Answer<string>>;
  caa(name: string): Promise<CaaAnswer>;
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

export interface CaaAnswer extends Answer<CaaRecord> {
  /** The target, if the name has a CNAME record. Then `records` is empty, whatever the target has. */
  alias?: string;
}

export type RecordType = 'CNAME' | 'A' | 'AAAA' | 'TXT' | 'CAA';

/**
 * DNS gave no definite answer: SERVFAIL, REFUSED, a timeout or an unreachable server. Says nothing about the record.
 */
export class DnsUnavailable extends Error {
  constructor(
    readonly lookedUp: string,
    /** The DNS error code, such as SERVFAIL. */
    readonly reason: string,
    /** The type of record that was looked up; undefined if the fault is not of one lookup. */
    readonly recordType?: RecordType,
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
  // Gives the first server a quarter of the time, so that a second server is asked as well.
  const tryMs = Math.ceil(timeoutMs / 4);

  function createResolver(): Resolver {
    const resolver = new Resolver({ timeout: tryMs, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    return resolver;
  }

  /** Creates a resolver per lookup, because `cancel` cancels all lookups of a resolver. */
  async function lookUp<R>(
    name: string,
    recordType: RecordType,
    ask: (resolver: Resolver) => Promise<R[]>,
  ): Promise<Answer<R>> {
    const resolver = createResolver();
    try {
      return { nameExists: true, records: await withTimeout(ask(resolver), timeoutMs) };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === 'NODATA') return { nameExists: true, records: [] };
      // BADNAME: a CNAME can lead to a name that is not valid in a query.
      if (reason === 'NOTFOUND' || reason === 'BADNAME') return { nameExists: false, records: [] };
      throw new DnsUnavailable(name, reason, recordType, error);
    } finally {
      resolver.cancel();
    }
  }

  /** Without Node's resolver: it rejects a CAA set that contains an empty value, which is a valid one. */
  async function lookUpCaa(name: string): Promise<CaaAnswer> {
    const waiting = new AbortController();
    const asked = { servers: createResolver().getServers(), tryMs, signal: waiting.signal };
    try {
      const response = await withTimeout(askServers(name, TYPE.CAA, asked), timeoutMs);
      return response === undefined ? { nameExists: false, records: [] } : caaAnswerOf(response, name);
    } catch (error) {
      throw new DnsUnavailable(name, reasonOf(error), 'CAA', error);
    } finally {
      waiting.abort();
    }
  }

  return {
    cname: (name) =>
      lookUp(name, 'CNAME', async (resolver) => (await resolver.resolveCname(name)).map(canonical)),
    addresses4: (name) => lookUp(name, 'A', (resolver) => resolver.resolve4(name)),
    addresses6: (name) => lookUp(name, 'AAAA', (resolver) => resolver.resolve6(name)),
    txt: (name) =>
      lookUp(name, 'TXT', async (resolver) =>
        (await resolver.resolveTxt(name)).map((strings) => strings.join('')),
      ),
    caa: lookUpCaa,
  };
}

function canonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** A resolver adds the records of a CNAME's target. They count only for the target, which is looked up next. */
function caaAnswerOf({ rcode, answers }: Response, name: string): CaaAnswer {
  const own = answers.filter((answer) => answer.name === name);
  const records = own.flatMap(({ caa }) => caa ?? []);
  const alias = own.find(({ target }) => target !== undefined)?.target;
  return {
    nameExists: rcode !== RCODE.NXDOMAIN || own.length > 0,
    records,
    ...(records.length === 0 && alias !== undefined && { alias }),
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof TimeoutError) return 'TIMEOUT';
  if (error instanceof ServerFailure) return error.reason;
  if (error instanceof MalformedResponse) return 'BADRESP';
  return ((error as NodeJS.ErrnoException).code ?? 'EUNKNOWN').replace(/^E/, '');
}

/** Unbound, the resolver of Let's Encrypt, follows as many. */
const MAX_HOPS = 11;

export interface CnameChain {
  /** The target of each CNAME record, in order; empty if the name has none. */
  targets: readonly string[];
  /** The name without a known CNAME record, or `stopAt`; undefined for a loop or more than 11 hops. */
  end: string | undefined;
  /**
   * Set if DNS did not answer whether `end` has a CNAME record. Some name servers reject such queries and answer others,
   * so look up what you need at `end`: the resolver follows a CNAME record that it meets.
   */
  unanswered?: DnsUnavailable;
}

/**
 * Follows CNAME records one at a time. Asked for an address, a server that knows only the CNAME record returns no
 * address, and a chain that ends in NXDOMAIN looks as if its first name did not exist.
 */
export async function followCnames(
  name: string,
  dns: Pick<Dns, 'cname'>,
  stopAt?: string,
): Promise<CnameChain> {
  const targets: string[] = [];
  for (let at = name; at !== stopAt;) {
    const answer = await unlessUnavailable(dns.cname(at));
    if (answer instanceof DnsUnavailable) return { targets, end: at, unanswered: answer };
    const target = answer.records[0];
    if (target === undefined) return { targets, end: at };
    const again = target === name || targets.includes(target);
    targets.push(target);
    if (again || targets.length > MAX_HOPS) return { targets, end: undefined };
    at = target;
  }
  return { targets, end: stopAt };
}

/** Returns the error in place of an answer, if DNS gave none. */
export async function unlessUnavailable<R>(asked: Promise<Answer<R>>): Promise<Answer<R> | DnsUnavailable> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DnsUnavailable) return error;
    throw error;
  }
}
