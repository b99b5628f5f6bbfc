import type { Fault } from '../problem.js';
import { checked, failed, PASSED, shown, type Check } from './check.js';
import { DnsUnavailable, followCnames, type CaaAnswer, type Dns } from './dns.js';
import type { CaaRecord } from './message.js';

export type CaaFault = Fault & { code: 'caa_blocks' };

/** A certificate authority, as CAA records name it. */
export interface CaaAuthority {
  /** The identities in its ACME directory (RFC 8555 section 7.1.1). */
  identities: readonly string[];
  /**
   * The URL of the account that orders the certificates. Called only if a record names an account. If it returns
   * undefined, every account counts as permitted.
   */
  accountUrl: () => Promise<string | undefined>;
  /** PLATFORM_HOST. Records at the names under it, and where those lead, are not the customers'. */
  platformHost: string;
}

/**
 * Checks whether CAA records permit the certificate authority to issue for `name` by HTTP-01 (RFC 8659 section 3). The
 * records of the nearest name that has any decide, from `name` up to its top-level domain. A CNAME record is followed at
 * each name, but the parents of its target have no effect. Records are read as strictly as Let's Encrypt reads them.
 */
export function checkCaa(name: string, authority: CaaAuthority, dns: Dns): Promise<Check<CaaFault>> {
  return checked(async () => {
    for (let at = name; at !== ''; at = parentOf(at)) {
      const found = await checkRecordsOf(at, name, authority, dns);
      if (found !== undefined) return found;
    }
    return PASSED;
  });
}

/** Like `checkCaa`, but only with the records of `name` itself, as they count for a CNAME record that leads there. */
export function checkCaaOfTarget(name: string, authority: CaaAuthority, dns: Dns): Promise<Check<CaaFault>> {
  return checked(async () => (await checkRecordsOf(name, name, authority, dns)) ?? PASSED);
}

/** Returns undefined if there are no CAA records at `at`, nor where its CNAME records lead. */
async function checkRecordsOf(
  at: string,
  name: string,
  authority: CaaAuthority,
  dns: Dns,
): Promise<Check<CaaFault> | undefined> {
  let records: readonly CaaRecord[] = [];
  // The CNAME record comes with the answer, so a server that rejects CNAME queries is no obstacle.
  const cname = async (alias: string) => {
    const answer: CaaAnswer = await dns.caa(alias);
    records = answer.records;
    return { nameExists: answer.nameExists, records: answer.alias === undefined ? [] : [answer.alias] };
  };
  const { targets, end, unanswered } = await followCnames(at, { cname });
  // Here the query for the CNAME record is the one for the CAA records.
  if (unanswered !== undefined) throw unanswered;
  // An authority's resolver answers SERVFAIL for this.
  if (end === undefined) throw new DnsUnavailable(at, 'its CNAME records form a loop', 'CAA');
  if (records.length === 0) return undefined;

  const unknown = records.filter(isUnknown);
  const permissions = records.filter(({ tag }) => tag === 'issue').map(({ value }) => parsePermission(value));
  const ownPermissions = permissions.filter((permission) => isFor(permission, authority.identities));
  const account = ownPermissions.some(namesAccount) ? await authority.accountUrl() : undefined;
  const isPermitted =
    permissions.length === 0 || ownPermissions.some((permission) => isPermittedBy(permission, account));
  if (isPermitted && unknown.length === 0) return PASSED;

  const expected = isPermitted ? undefined : recordToAdd(authority.identities, account);
  return failed({
    code: 'caa_blocks',
    name,
    recordName: end,
    ...(expected !== undefined && { expected }),
    found: shown(records.map(asText)),
    ...(unknown.length > 0 && { unknown: shown(unknown.map(asText)) }),
    ...([...targets, end].some((host) => isUnder(host, authority.platformHost)) && { isPlatforms: true }),
  });
}

/**
 * Returns the CAA record that permits the authority; undefined if the authority names no identity.
 *
 * @param account its URL, if the domain's records restrict the accounts
 */
export function recordToAdd(identities: readonly string[], account?: string): string | undefined {
  if (identities.length === 0) return undefined;
  const restriction = account === undefined ? '' : `; ${ACCOUNT}=${account}`;
  return identities.map((identity) => `0 issue "${identity}${restriction}"`).join(' or ');
}

function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? '' : name.slice(dot + 1);
}

function isUnder(host: string, platformHost: string): boolean {
  return host === platformHost || host.endsWith(`.${platformHost}`);
}

function asText({ flags, tag, value }: CaaRecord): string {
  return `${flags} ${tag} "${value}"`;
}

/** A critical record with any other tag forbids issuance (RFC 8659 section 4.5). */
const KNOWN_TAGS: ReadonlySet<string> = new Set(['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc']);
/** The critical bit is 128. Let's Encrypt also reads 1 as critical, a common mistake. */
const CRITICAL = 128 | 1;

/** Whether the record forbids issuance by its tag alone. */
function isUnknown({ flags, tag }: CaaRecord): boolean {
  return (flags & CRITICAL) !== 0 && !KNOWN_TAGS.has(tag);
}

/** The value of an `issue` record. */
interface Permission {
  /** Empty: nobody. */
  issuer: string;
  parameters: readonly (readonly [name: string, value: string])[];
}

/** RFC 8657 section 3. */
const ACCOUNT = 'accounturi';
/** RFC 8657 section 4. */
const METHODS = 'validationmethods';

/** Parses `issuer; name=value; …` (RFC 8659 section 4.2). Undefined if it is malformed: it permits nobody. */
function parsePermission(value: string): Permission | undefined {
  const [issuer = '', ...parts] = value.split(';').map(withoutBlanks);
  if (parts.length === 1 && parts[0] === '') return { issuer, parameters: [] };
  const parameters: [string, string][] = [];
  for (const part of parts) {
    const sign = part.indexOf('=');
    const [name, content] = [withoutBlanks(part.slice(0, sign)), withoutBlanks(part.slice(sign + 1))];
    if (sign === -1 || !/^[0-9A-Za-z]*$/.test(name) || !/^[!-~]*$/.test(content)) return undefined;
    parameters.push([name, content]);
  }
  return { issuer, parameters };
}

/** Without a regular expression, which would take quadratic time for a value of blanks. */
function withoutBlanks(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t';
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start += 1;
  while (start < end && isBlank(end - 1)) end -= 1;
  return text.slice(start, end);
}

/** Whether a permission names the authority. One without an identity is blocked only by records that permit nobody. */
function isFor(permission: Permission | undefined, identities: readonly string[]): permission is Permission {
  if (permission === undefined || permission.issuer === '') return false;
  return identities.length === 0 || identities.includes(permission.issuer);
}

function namesAccount({ parameters }: Permission): boolean {
  return parameters.some(([name]) => name === ACCOUNT);
}

/** A parameter that stands twice cannot be satisfied. */
function isPermittedBy({ parameters }: Permission, account: string | undefined): boolean {
  const valuesOf = (wanted: string) =>
    parameters.filter(([name]) => name === wanted).map(([, value]) => value);
  const [accounts, methods] = [valuesOf(ACCOUNT), valuesOf(METHODS)];
  return (
    accounts.length <= 1 &&
    methods.length <= 1 &&
    accounts.every((value) => account === undefined || value === account) &&
    methods.every(includesHttp)
  );
}

/** The list is read up to the method, or to the first entry that is no name of a method. */
function includesHttp(methods: string): boolean {
  for (const method of methods.split(',')) {
    if (method === 'http-01') return true;
    if (!/^[0-9A-Za-z-]+$/.test(method)) return false;
  }
  return false;
}
