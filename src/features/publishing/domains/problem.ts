import { DOMAINS_FROM } from '../../plans/plans.js';
import type { RecordType } from './dns/dns.js';

/** A reason why a domain is not served, with the facts for its message. */
export type Fault =
  /** `addresses`: the platform's fixed addresses, which records of an apex can have in place of ALIAS. */
  | {
      code: 'no_record' | 'nxdomain';
      name: string;
      record: RoutingRecord;
      expected: string;
      addresses?: string;
    }
  | { code: 'cname_mismatch'; name: string; expected: string; found: string }
  | { code: 'conflicting_a_record'; name: string; expected: string; found: string }
  | {
      code: 'conflicting_aaaa_record';
      name: string;
      record: RoutingRecord;
      expected: string;
      found: string;
    }
  | {
      code: 'apex_address_mismatch';
      name: string;
      platformHost: string;
      expected: string;
      found: string;
      /** The addresses of the platform host that the name lacks, if it has no others. */
      missing?: string;
      addresses?: string;
    }
  | { code: 'cname_loop'; name: string; expected: string; found: string }
  /** `reason`: the DNS error code, such as SERVFAIL. `recordType`: undefined if the fault is not of one lookup. */
  | { code: 'dns_unavailable'; name: string; reason: string; recordType?: RecordType }
  /**
   * `lost`: set if another project took the name from this one; `redirects` ended with it. `mistake`: what is wrong with
   * the records that were found.
   */
  | {
      code: 'ownership_txt_required';
      recordName: string;
      expected: string;
      found?: string;
      mistake?: OwnershipMistake;
      lost?: { name: string; redirects: readonly string[] };
    }
  /**
   * `recordName`: the name that has the CAA records; undefined if only the authority saw them, so that `found` is its own
   * text. `expected`: the record to add; undefined if none is missing, or if
   * the authority names no identity. `unknown`: the critical records with a tag that no authority knows. `isPlatforms`:
   * set if the records are the platform's, so that only its operator can change them.
   */
  | {
      code: 'caa_blocks';
      name: string;
      recordName?: string;
      expected?: string;
      found: string;
      unknown?: string;
      isPlatforms?: boolean;
    }
  /** `perWeek`: set if the platform's own budget is the limit. */
  | { code: 'ca_rate_limited'; name: string; perWeek?: number }
  /** `isSealed`: set if the gateway itself cannot continue, because it lacks an encryption key. */
  | { code: 'ca_unavailable'; name: string; isSealed?: boolean }
  /** `detail`: the certificate authority's own text. `cause`: undefined if the authority's error type tells none. */
  | { code: 'ca_rejected'; name: string; detail: string; cause?: RejectionCause | undefined }
  /** `endsAt`: the end of the grace period, if the domain is still served. */
  | { code: 'plan_required'; name: string; endsAt?: Date }
  | { code: 'not_deployed'; name: string }
  | { code: 'ssl_overdue'; name: string };

export type ProblemCode = Fault['code'];

/**
 * A mistake with the TXT record that proves ownership. `doubled`: the DNS provider appended the domain once more; `label`
 * is the name to enter there. `wildcard`: the name has its CNAME record from a wildcard, which a TXT record below the name
 * ends.
 */
export type OwnershipMistake =
  | { kind: 'quotes' }
  | { kind: 'doubled'; foundAt: string; label: string }
  | { kind: 'wildcard'; name: string };

/**
 * Why an authority rejected a request. `no_answer`: it did not get the platform's answer to its challenge at port 80.
 * `dns`: it could not look up the name. `name`: it issues no certificates for this name.
 */
export type RejectionCause = 'no_answer' | 'dns' | 'name';

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

/** Whether CAA records of the platform forbid the authority. Customers see that, and the operator sees the records. */
export function isPlatformCaa(fault: Fault): fault is Fault & { code: 'caa_blocks' } {
  return fault.code === 'caa_blocks' && fault.isPlatforms === true;
}

export function problemOf(fault: Fault, at: Date, retryAt?: Date): Problem {
  const isForOperator = isPlatformCaa(fault);
  return {
    code: fault.code,
    message: wording(fault),
    ...('expected' in fault && !isForOperator && { expected: fault.expected }),
    ...('found' in fault && !isForOperator && { found: fault.found }),
    at,
    ...(retryAt !== undefined && { retryAt }),
  };
}

/**
 * The last problem of a domain that the gateway checked for as long as it does without being asked.
 *
 * @param at when the last check ran
 */
export function lastProblemOf(fault: Fault, at: Date): Problem {
  const problem = problemOf(fault, at);
  const message =
    fault.code === 'dns_unavailable'
      ? `${unanswered(fault)} Before you choose Verify, ${askProvider(fault)}`
      : problem.message;
  return { ...problem, message: `${message} ${STOPPED}` };
}

const STOPPED =
  'The gateway has checked the records for 48 hours and has stopped. When they are right, choose Verify to make it check again.';

/** Problems that end without anybody’s action. */
const WAITS: ReadonlySet<ProblemCode> = new Set(['ca_rate_limited', 'ca_unavailable', 'dns_unavailable']);

/** Adds to a problem of a domain with a valid certificate when visitors lose the site, unless the problem ends by itself. */
export function withEnd(problem: Problem, certificateEnd: Date): Problem {
  if (WAITS.has(problem.code)) return problem;
  const ending = `Until this is fixed, the SSL certificate may not be renewed. It expires on ${timeOf(certificateEnd)}, and the site goes dark then.`;
  return { ...problem, message: `${problem.message} ${ending}` };
}

/** `2026-12-24 at 10:00 UTC`. */
function timeOf(time: Date): string {
  const [day, clock] = time.toISOString().split('T');
  return `${day} at ${clock?.slice(0, 5)} UTC`;
}

const PATIENCE = 'DNS changes may take up to 48 hours to propagate.';

/** Uses the terms of the specification's troubleshooting rules. */
function wording(fault: Fault): string {
  switch (fault.code) {
    case 'no_record':
      return `${fault.name} has no ${named(fault.record)} record. ${toAdd(fault)} ${PATIENCE}`;
    case 'nxdomain':
      return `The name ${fault.name} does not exist in DNS. ${toAdd(fault)} If you already added it, check that the domain is registered and that its name servers are those of your DNS provider. ${PATIENCE}`;
    case 'cname_mismatch':
      return `The CNAME record of ${fault.name} has the value ${fault.found}, which differs from the value in the dashboard. Change it to ${fault.expected}.`;
    case 'conflicting_a_record':
      return `${fault.name} has an A record (${fault.found}), which blocks the CNAME. Remove it, add a CNAME record with the value ${fault.expected}, and choose Verify. If your DNS provider puts its own proxy in front of this name, or answers with addresses in place of the CNAME record, turn that off: it has the same effect. If DNS allows no CNAME record for this name, because it is a zone of its own, add an ALIAS or ANAME record with the same value.`;
    case 'conflicting_aaaa_record':
      return fault.record === 'CNAME'
        ? `${fault.name} has an AAAA record (${fault.found}), which blocks the CNAME. Remove it, add a CNAME record with the value ${fault.expected}, and choose Verify.`
        : `${fault.name} has an AAAA record (${fault.found}) that sends some visitors elsewhere. Remove it, keep only the records that the dashboard shows, and choose Verify.`;
    case 'apex_address_mismatch':
      return `${fault.name} points to ${fault.found}, but ${fault.missing === undefined ? `${fault.platformHost} points to ${fault.expected}. Remove other A and AAAA records, and` : `not to ${fault.missing}, to which ${fault.platformHost} points as well. In place of its A and AAAA records,`} add an ALIAS or ANAME record with the value ${fault.platformHost}. Not every DNS provider supports these records. If yours does not, ${fault.addresses === undefined ? `use a subdomain such as www.${fault.name}` : `add A and AAAA records with these addresses instead: ${fault.addresses}`}.`;
    case 'cname_loop':
      return `The CNAME records of ${fault.name} form a loop or a chain that is too long (${fault.found}). Set the CNAME record of ${fault.name} to ${fault.expected}.`;
    case 'dns_unavailable':
      return `${unanswered(fault)} It checks again automatically. If this continues, ${askProvider(fault)}`;
    case 'ownership_txt_required':
      if (fault.lost !== undefined)
        return `Another project proved that it owns ${fault.lost.name}, and has the domain now. ${endedWith(fault.lost.redirects)}If the domain is yours, add a TXT record with the name ${fault.recordName} and the value ${fault.expected}, and choose Verify.`;
      return `Another project holds or held this domain or a name of the same registered domain, or added it in the last seven days. ${proofOf(fault)}`;
    case 'caa_blocks':
      if (fault.isPlatforms === true)
        return `A CAA record of the platform blocks the certificate authority, so the certificate for ${fault.name} has to wait. You don’t need to do anything: the gateway has reported it to the operator of the platform, and tries again automatically.`;
      return `${blockedBy(fault)} and choose Re-verify to trigger a new attempt.`;
    case 'ca_rate_limited':
      return fault.perWeek === undefined
        ? `The certificate authority limits how many certificates it issues, so the certificate for ${fault.name} has to wait. You don’t need to do anything: the gateway tries again automatically.`
        : `The platform requests at most ${fault.perWeek} certificates in seven days from its certificate authority and has reached that limit, so the certificate for ${fault.name} has to wait. You don’t need to do anything: the gateway tries again every hour.`;
    case 'ca_unavailable':
      if (fault.isSealed === true)
        return `The gateway cannot continue the certificate request for ${fault.name}, because it lacks an encryption key. It tries again automatically every minute. If this continues, contact the operator of the platform.`;
      return `The certificate authority does not respond, so the certificate for ${fault.name} has to wait. You don’t need to do anything: the gateway tries again automatically.`;
    case 'ca_rejected':
      return `${rejectedBy(fault)} ${remedyOf(fault)}`;
    case 'plan_required':
      return fault.endsAt === undefined
        ? `Serving ${fault.name} requires a paid plan (${DOMAINS_FROM}). Upgrade the project. It keeps the domain.`
        : `The project’s plan no longer includes custom domains. The gateway serves ${fault.name} until ${timeOf(fault.endsAt)}. To keep serving it, upgrade the project to ${DOMAINS_FROM}.`;
    case 'not_deployed':
      return `The project has no successful deploy, so ${fault.name} has no site to serve. Deploy the project, then choose Verify.`;
    case 'ssl_overdue':
      return `${fault.name} has been verified for 30 minutes and has no SSL certificate. Confirm that the domain still verifies, check that no CAA record blocks the certificate authority, and choose Re-verify to trigger a new attempt.`;
  }
}

/** A project can have fifty. */
const MOST_REDIRECTS = 5;

function endedWith(redirects: readonly string[]): string {
  if (redirects.length === 0) return '';
  const more = redirects.length - MOST_REDIRECTS;
  const named = redirects.slice(0, MOST_REDIRECTS).join(', ');
  return `These redirects ended with it: ${named}${more > 0 ? ` and ${more} more, which the audit log names` : ''}. `;
}

/** Asks for the TXT record, or for the correction of the one that was found. */
function proofOf({
  recordName,
  expected,
  found,
  mistake,
}: Fault & { code: 'ownership_txt_required' }): string {
  const record = `a TXT record with the name ${recordName} and the value ${expected}`;
  switch (mistake?.kind) {
    case 'quotes':
      return `The TXT record of ${recordName} has quotes or other characters around its value (${found}). Change the value to ${expected}, without quotes, and choose Verify.`;
    case 'doubled':
      return `The TXT record is at ${mistake.foundAt}: your DNS provider adds the domain to the name that you enter. Change the name of the record to ${mistake.label} there, and choose Verify.`;
    case 'wildcard':
      return `${mistake.name} has its CNAME record from a wildcard record, which no longer applies to this name once it has the TXT record that proves that the domain is yours. First add the CNAME record of ${mistake.name} that the dashboard shows. Then add ${record}, and choose Verify.`;
    case undefined:
      return `To prove that the domain is yours, add ${record}, and choose Verify.`;
  }
}

type Unanswered = Fault & { code: 'dns_unavailable' };

function unanswered(fault: Unanswered): string {
  const advice =
    fault.recordType === 'CAA'
      ? ' Some old name servers reject queries for CAA records. A certificate authority needs an answer to them.'
      : '';
  return `${noAnswer(fault)}, so the gateway could not check your records.${advice}`;
}

function noAnswer({ name, reason, recordType }: Unanswered): string {
  return `DNS did not answer for ${name} (${recordType === undefined ? '' : `${recordType}, `}${reason})`;
}

function askProvider({ recordType }: Unanswered): string {
  const answers =
    recordType === 'CAA' ? 'name servers answer queries for CAA records and its' : 'name servers and';
  return `ask your DNS provider whether its ${answers} DNSSEC work.`;
}

interface Rejection {
  name: string;
  detail: string;
  cause?: RejectionCause | undefined;
}

/** The authority's text may be a part of a sentence. */
function rejectedBy({ name, detail }: Rejection): string {
  const text = detail.trim();
  return `The certificate authority rejected the certificate request for ${name}: ${text}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function remedyOf({ name, cause }: Rejection): string {
  const retry = 'choose Re-verify to trigger a new attempt.';
  switch (cause) {
    case 'no_answer':
      return `The certificate authority must reach the platform at port 80 of every address that ${name} has. Confirm that the domain still verifies and has no other A or AAAA record, and ${retry} If this continues, contact the operator of the platform.`;
    case 'dns':
      return `Ask your DNS provider whether its name servers and DNSSEC work, and ${retry}`;
    case 'name':
      return 'The certificate authority issues no certificates for this name. Contact the operator of the platform.';
    case undefined:
      return `Confirm that the domain still verifies, and ${retry} If this continues, contact the operator of the platform.`;
  }
}

function blockedBy({ name, recordName, expected, found, unknown }: Fault & { code: 'caa_blocks' }): string {
  if (recordName === undefined) {
    const permit = expected === undefined ? '' : `add one with the value ${expected}, or `;
    return `The certificate authority rejected the certificate request for ${name} because of CAA records (${found}). At the name that has them, ${permit}remove them,`;
  }
  const wanted = `a CAA record for ${recordName} with the value ${expected}`;
  if (unknown !== undefined)
    return `A CAA record of ${recordName} (${unknown}) is critical and has a tag that certificate authorities do not know, so none of them issues a certificate. Remove this record${expected === undefined ? '' : `, add ${wanted}`},`;
  const remedy = expected === undefined ? 'Remove it' : `Add ${wanted}, or remove the CAA records`;
  return `A CAA record of ${recordName} (${found}) blocks the certificate authority. ${remedy},`;
}

function toAdd({
  name,
  record,
  expected,
  addresses,
}: {
  name: string;
  record: RoutingRecord;
  expected: string;
  addresses?: string;
}): string {
  const instead =
    addresses === undefined
      ? ''
      : ` If it does not support these records, add A and AAAA records with these addresses instead: ${addresses}.`;
  return `Add ${record === 'CNAME' ? 'a' : 'an'} ${named(record)} record for ${name} with the value ${expected} at your DNS provider.${instead}`;
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
    case 'ca_rejected':
      return `${rejectedBy(fault)} ${BY_ITSELF}`;
    case 'dns_unavailable':
      return `${noAnswer(fault)}. ${BY_ITSELF}`;
    default:
      return undefined;
  }
}
