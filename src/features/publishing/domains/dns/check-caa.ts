import type { Fault } from '../problem.js';
import { checked, failed, PASSED, shown, type Check } from './check.js';
import { DnsUnavailable, followCnames, type CaaRecord, type Dns } from './dns.js';

export type CaaFault = Fault & { code: 'caa_blocks' };

/**
 * Checks whether CAA records permit the certificate authority to issue for `name` (RFC 8659 section 3). The records of
 * the nearest name that has any decide, from `name` up to its top-level domain. A CNAME record is followed at each
 * name, but the parents of its target have no effect.
 *
 * @param caaIdentities the identities in the authority's ACME directory (RFC 8555 section 7.1.1)
 */
export function checkCaa(name: string, caaIdentities: readonly string[], dns: Dns): Promise<Check<CaaFault>> {
  return checked(async () => {
    for (let at = name; at !== ''; at = parentOf(at)) {
      const { end } = await followCnames(at, dns);
      // An authority's resolver answers SERVFAIL for this.
      if (end === undefined) throw new DnsUnavailable(at, 'its CNAME records form a loop');
      const { records } = await dns.caa(end);
      if (records.length === 0) continue;
      const unknown = records.filter(isUnknown);
      const isPermitted = caaPermits(records, caaIdentities);
      if (unknown.length === 0 && isPermitted) return PASSED;
      const expected = isPermitted ? undefined : recordToAdd(caaIdentities);
      return failed({
        code: 'caa_blocks',
        name,
        recordName: end,
        ...(expected !== undefined && { expected }),
        found: shown(records.map(asText)),
        ...(unknown.length > 0 && { unknown: shown(unknown.map(asText)) }),
      });
    }
    return PASSED;
  });
}

/** Returns the CAA record that permits the authority; undefined if the authority names no identity. */
export function recordToAdd(caaIdentities: readonly string[]): string | undefined {
  if (caaIdentities.length === 0) return undefined;
  return caaIdentities.map((identity) => `0 issue "${identity}"`).join(' or ');
}

function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? '' : name.slice(dot + 1);
}

function asText({ flags, tag, value }: CaaRecord): string {
  return `${flags} ${tag} "${value}"`;
}

/**
 * Tags that certificate authorities understand. A critical record with any other tag forbids issuance (RFC 8659 section
 * 4.5).
 */
const KNOWN_TAGS: ReadonlySet<string> = new Set([
  'issue',
  'issuewild',
  'iodef',
  'issuemail',
  'issuevmc',
  'contactemail',
  'contactphone',
]);
/** The critical bit is 128. Authorities also accept 1, a common mistake. */
const CRITICAL = 128 | 1;

/** Whether the record forbids issuance by its tag alone. */
function isUnknown({ flags, tag }: CaaRecord): boolean {
  return (flags & CRITICAL) !== 0 && !KNOWN_TAGS.has(tag);
}

/**
 * Whether the `issue` records permit an authority to issue for a non-wildcard name (`issuewild` is for wildcards) by
 * HTTP-01 (RFC 8659, and RFC 8657 for `validationmethods`). An authority without an identity is blocked only by records
 * that permit no issuer at all.
 */
function caaPermits(records: readonly CaaRecord[], caaIdentities: readonly string[]): boolean {
  const permissions = records.filter(({ tag }) => tag === 'issue').map(({ value }) => parsePermission(value));
  if (permissions.length === 0) return true;
  return permissions.some(
    ({ issuer, methods }) =>
      issuer !== '' &&
      (caaIdentities.length === 0 || caaIdentities.some((identity) => identity.toLowerCase() === issuer)) &&
      (methods === undefined || methods.includes('http-01')),
  );
}

/** Parses `issuer; name=value; …`. An empty issuer permits no authority. */
function parsePermission(value: string): { issuer: string; methods: readonly string[] | undefined } {
  const [issuer = '', ...parameters] = value.split(';').map((part) => part.trim().toLowerCase());
  const methods = parameters.find((parameter) => /^validationmethods\s*=/.test(parameter));
  return {
    issuer,
    methods: methods
      ?.replace(/^[^=]*=/, '')
      .split(',')
      .map((method) => method.trim()),
  };
}
