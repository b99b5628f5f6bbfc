import type { CaaRecord } from './dns.js';

/** What certificate authorities understand; a critical record of any other tag forbids issuing (RFC 8659 section 4.5). */
const KNOWN_TAGS: ReadonlySet<string> = new Set([
  'issue',
  'issuewild',
  'iodef',
  'issuemail',
  'issuevmc',
  'contactemail',
  'contactphone',
]);
/** The bit is 128; authorities count 1 as well, which it was often mistaken for. */
const CRITICAL = 128 | 1;

/**
 * Whether CAA records let an authority issue for a plain name (`issuewild` is for wildcards) by HTTP-01 (RFC 8659, and
 * RFC 8657 for `validationmethods`). An authority that names no identity of its own is blocked by a set that permits
 * nobody, and by nothing else.
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

/** `issuer; name=value; …`: an issuer of '' permits nobody. */
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
