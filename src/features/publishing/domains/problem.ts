import { DOMAINS_FROM } from '../../plans/plans.js';

/** A reason why a domain is not served, with the facts for its message. */
export type Fault =
  | { code: 'no_record' | 'nxdomain'; name: string; record: RoutingRecord; expected: string }
  | { code: 'cname_mismatch'; name: string; expected: string; found: string }
  | { code: 'conflicting_a_record'; name: string; expected: string; found: string }
  | {
      code: 'conflicting_aaaa_record';
      name: string;
      record: RoutingRecord;
      expected: string;
      found: string;
    }
  | { code: 'apex_address_mismatch'; name: string; platformHost: string; expected: string; found: string }
  | { code: 'cname_loop'; name: string; expected: string; found: string }
  /** `reason`: the DNS error code, such as SERVFAIL. */
  | { code: 'dns_unavailable'; name: string; reason: string }
  | { code: 'ownership_txt_required'; recordName: string; expected: string; found?: string }
  /** `recordName`: the name that has the CAA records; `expected`: undefined if the authority names no identity. */
  | { code: 'caa_blocks'; name: string; recordName: string; expected?: string; found: string }
  /** `perWeek`: set if the platform's own budget is the limit. */
  | { code: 'ca_rate_limited'; name: string; perWeek?: number }
  /** `isSealed`: set if the gateway itself cannot continue, because it lacks an encryption key. */
  | { code: 'ca_unavailable'; name: string; isSealed?: boolean }
  /** `detail`: the certificate authority's own text. */
  | { code: 'ca_rejected'; name: string; detail: string }
  | { code: 'plan_required' | 'not_deployed'; name: string }
  | { code: 'ssl_overdue'; name: string };

export type ProblemCode = Fault['code'];

/** The type of record that leads a name to the platform. Some providers call ALIAS records ANAME. */
export type RoutingRecord = 'CNAME' | 'ALIAS';

/** A fault in its stored and displayed form. */
export interface Problem {
  code: ProblemCode;
  /** What is wrong, and what to do next. */
  message: string;
  expected?: string;
  found?: string;
  at: Date;
  /** When the gateway checks again without a request. */
  retryAt?: Date;
}

export function problemOf(fault: Fault, at: Date, retryAt?: Date): Problem {
  return {
    code: fault.code,
    message: wording(fault),
    ...('expected' in fault && { expected: fault.expected }),
    ...('found' in fault && { found: fault.found }),
    at,
    ...(retryAt !== undefined && { retryAt }),
  };
}

const PATIENCE = 'DNS changes may take up to 48 hours to propagate.';

/** Uses the terms of the specification's troubleshooting rules, section 1.1 item 5. */
function wording(fault: Fault): string {
  switch (fault.code) {
    case 'no_record':
      return `${fault.name} has no ${named(fault.record)} record. ${toAdd(fault)} ${PATIENCE}`;
    case 'nxdomain':
      return `The name ${fault.name} does not exist in DNS. ${toAdd(fault)} If you already added it, check that the domain is registered and that its name servers are those of your DNS provider. ${PATIENCE}`;
    case 'cname_mismatch':
      return `The CNAME record of ${fault.name} has the value ${fault.found}, which differs from the value in the dashboard. Change it to ${fault.expected}.`;
    case 'conflicting_a_record':
      return `${fault.name} has an A record (${fault.found}), which blocks the CNAME. Remove it, add a CNAME record with the value ${fault.expected}, and choose Verify. If your DNS provider puts its own proxy in front of this name, turn the proxy off: it has the same effect.`;
    case 'conflicting_aaaa_record':
      return fault.record === 'CNAME'
        ? `${fault.name} has an AAAA record (${fault.found}), which blocks the CNAME. Remove it, add a CNAME record with the value ${fault.expected}, and choose Verify.`
        : `${fault.name} has an AAAA record (${fault.found}) that sends some visitors elsewhere. Remove it, keep only the ALIAS or ANAME record, and choose Verify.`;
    case 'apex_address_mismatch':
      return `${fault.name} points to ${fault.found}, but ${fault.platformHost} points to ${fault.expected}. Remove other A and AAAA records, and add an ALIAS or ANAME record with the value ${fault.platformHost}. Not every DNS provider supports these records. If yours does not, use a subdomain such as www.${fault.name}.`;
    case 'cname_loop':
      return `The CNAME records of ${fault.name} form a loop or a chain that is too long (${fault.found}). Set the CNAME record of ${fault.name} to ${fault.expected}.`;
    case 'dns_unavailable':
      return `DNS did not answer for ${fault.name} (${fault.reason}), so the gateway could not check your records. It checks again automatically. If this continues, ask your DNS provider whether its name servers and DNSSEC work.`;
    case 'ownership_txt_required':
      return `Another project holds or held this domain or a name under it, or added it in the last seven days. To prove that the domain is yours, add a TXT record with the name ${fault.recordName} and the value ${fault.expected}, and choose Verify.`;
    case 'caa_blocks':
      return `A CAA record of ${fault.recordName} (${fault.found}) blocks the certificate authority. ${fault.expected === undefined ? 'Remove it' : `Add a CAA record with the value ${fault.expected}, or remove the CAA records`}, and choose Re-verify to trigger a new attempt.`;
    case 'ca_rate_limited':
      return fault.perWeek === undefined
        ? `The certificate authority limits how many certificates it issues, so the certificate for ${fault.name} has to wait. You don’t need to do anything: the gateway tries again automatically.`
        : `The platform requests at most ${fault.perWeek} certificates in seven days from its certificate authority and has reached that limit, so the certificate for ${fault.name} has to wait. You don’t need to do anything: the gateway tries again every hour.`;
    case 'ca_unavailable':
      if (fault.isSealed === true)
        return `The gateway cannot continue the certificate request for ${fault.name}, because it lacks an encryption key. It tries again automatically every minute. If this continues, contact the operator of the platform.`;
      return `The certificate authority does not respond, so the certificate for ${fault.name} has to wait. You don’t need to do anything: the gateway tries again automatically.`;
    case 'ca_rejected':
      return `The certificate authority rejected the certificate request for ${fault.name}: ${fault.detail} Confirm that the domain still verifies, check that no CAA record blocks the certificate authority, and choose Re-verify to trigger a new attempt.`;
    case 'plan_required':
      return `Serving ${fault.name} requires a paid plan (${DOMAINS_FROM}). Upgrade the project. It keeps the domain.`;
    case 'not_deployed':
      return `The project has no successful deploy, so ${fault.name} has no site to serve. Deploy the project, then choose Verify.`;
    case 'ssl_overdue':
      return `${fault.name} has been verified for 30 minutes and has no SSL certificate. Confirm that the domain still verifies, check that no CAA record blocks the certificate authority, and choose Re-verify to trigger a new attempt.`;
  }
}

function toAdd({
  name,
  record,
  expected,
}: {
  name: string;
  record: RoutingRecord;
  expected: string;
}): string {
  return `Add ${record === 'CNAME' ? 'a' : 'an'} ${named(record)} record for ${name} with the value ${expected} at your DNS provider.`;
}

function named(record: RoutingRecord): string {
  return record === 'CNAME' ? 'CNAME' : 'ALIAS or ANAME';
}

/** Describes why a platform host has no certificate. Customers cannot fix such a problem themselves. */
export function siteProblemOf(fault: Fault, at: Date, retryAt?: Date): Problem {
  const problem = problemOf(fault, at, retryAt);
  const message = `${siteWording(fault) ?? problem.message} Without a certificate, the site is served over HTTP.`;
  return { ...problem, message };
}

const BY_ITSELF =
  'The gateway tries again automatically. If this continues, contact the operator of the platform.';

/** Returns undefined if the wording for customers' domains fits too. */
function siteWording(fault: Fault): string | undefined {
  switch (fault.code) {
    case 'caa_blocks':
      return `A CAA record of ${fault.recordName} (${fault.found}) blocks the certificate authority. ${BY_ITSELF}`;
    case 'ca_rejected':
      return `The certificate authority rejected the certificate request for ${fault.name}: ${fault.detail} ${BY_ITSELF}`;
    case 'dns_unavailable':
      return `DNS did not answer for ${fault.name} (${fault.reason}). ${BY_ITSELF}`;
    default:
      return undefined;
  }
}
