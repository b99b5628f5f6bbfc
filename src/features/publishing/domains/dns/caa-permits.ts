import type { CaaRecord } from './dns.js';

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

/**
 * Whether the CAA records permit an authority to issue for a non-wildcard name (`issuewild` is for wildcards) by
 * HTTP-01 (RFC 8659, and RFC 8657 for `validationmethods`). An authority without an identity is blocked only by records
 * that permit no issuer at all.
 */
export function caaPermits(records: readonly CaaRecord[], caaIdentities: readonly string[]): boolean {
  if (records.some(({ flags, tag }) => (flags & CRITICAL) !== 0 && !KNOWN_TAGS.has(tag))) return false;
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
